export { hasTurn, limitRequests } from './connection.ts';
export { destroyAfter } from './destroy-after.ts';
export { http2Options, receiveFrom } from './http2-socket.ts';
export { Http2Transport } from './http2-transport.ts';
export { PIPELINED_MAX } from './request-line.ts';
