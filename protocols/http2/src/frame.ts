/** The layout of frames and the numbers of RFC 9113, sections 4.1, 6 and 7. */

export const FRAME_HEADER_BYTES = 9;
/** The size that every peer accepts (section 4.2). Nothing larger is sent or accepted. */
export const FRAME_BYTES_MAX = 16_384;
/** The window of a stream and of a connection before anybody changes it (section 6.9.2). */
export const WINDOW_DEFAULT = 65_535;
export const WINDOW_MAX = 0x7fff_ffff;

export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const flags = { none: 0, ack: 1, endStream: 1, endHeaders: 4, padded: 8, priority: 0x20 } as const;

export const errorCodes = {
  none: 0,
  protocol: 1,
  internal: 2,
  flowControl: 3,
  streamClosed: 5,
  frameSize: 6,
  refusedStream: 7,
  cancel: 8,
  compression: 9,
  enhanceYourCalm: 0xb,
} as const;

export type ErrorCode = (typeof errorCodes)[keyof typeof errorCodes];

export const settingIds = {
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const;

/** One received frame. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Uint8Array;
}

export function uint32At(bytes: Uint8Array, at: number): number {
  return uint16At(bytes, at) * 0x1_0000 + uint16At(bytes, at + 2);
}

export function uint16At(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}

/** A breach of the protocol that ends the connection (section 5.4.1). It does not leave this package. */
export class ConnectionError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
