export { hasTurn, limitRequests } from './connection.ts';
export { PIPELINED_MAX } from './request-line.ts';
