/**
 * The receive buffer of a UDP socket: some 2,500 small datagrams. The system's default holds a tenth of that, and a rack that is
 * switched on sends more while this process collects garbage or writes its journal. With four times as much, an overloaded DHCP
 * server answered every client late instead of most clients in time.
 */
export const RECEIVE_BUFFER_BYTES = 1024 * 1024;
