/**
 * What may wait in a UDP socket: some 2,500 small datagrams. The system's default holds a tenth of that, and a rack that is
 * switched on sends more while this process collects garbage or writes its journal. Four times as much let a DHCP server
 * that was asked too much answer late to everyone instead of in time to most.
 */
export const RECEIVE_BUFFER_BYTES = 1024 * 1024;
