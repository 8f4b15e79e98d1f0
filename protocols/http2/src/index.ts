export { ServerConnection, type ConnectionEvents, type ConnectionOptions } from './server-connection.ts';
export { ServerStream, type StreamListener } from './server-stream.ts';
export { TextPool } from './text-pool.ts';
export { HpackDecoder } from './hpack-decoder.ts';
export { encodeFields } from './hpack-encoder.ts';
export { fieldOf, type Fields } from './request-fields.ts';
export { errorCodes, type ErrorCode } from './frame.ts';
