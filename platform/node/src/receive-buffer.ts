/**
 * What may wait in a UDP socket. The system's default holds about 250 small datagrams; a rack that is switched on sends
 * more than that while this process collects garbage or writes its journal. Memory is used only by what waits.
 */
export const RECEIVE_BUFFER_BYTES = 4 * 1024 * 1024;
