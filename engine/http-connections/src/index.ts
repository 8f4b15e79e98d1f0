export { hasTurn, limitRequests } from './connection.ts';
export { destroyAfter } from './destroy-after.ts';
export { http2Options, receiveLater } from './http2-socket.ts';
export { PIPELINED_MAX } from './request-line.ts';
