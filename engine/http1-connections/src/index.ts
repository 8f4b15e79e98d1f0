export { hasTurn, limitPipelining, PIPELINED_MAX } from './pipelining.ts';
