import { ConnectionError, errorCodes, flags, frameTypes, type Frame } from './frame.ts';
import { headersIn, joined, priorityIn, protocolError } from './frame-payload.ts';
import type { HpackDecoder } from './hpack-decoder.ts';
import type { Fields } from './message-fields.ts';

/** The parts of one header block. An honest peer sends full frames. */
const PARTS_MAX = 16;

export interface HeaderLimits {
  /** Of one list of header fields, encoded or decoded. */
  readonly fieldBytesMax: number;
  readonly fieldsMax: number;
}

/** A complete block of header fields. */
export interface HeaderBlock {
  readonly streamId: number;
  readonly isEnd: boolean;
  /** The stream depends on itself (RFC 9113, section 5.3.1), which is a fault. */
  readonly isCircular: boolean;
  /** Undefined: they are more than the limit. */
  readonly fields: Fields | undefined;
}

interface OpenBlock {
  readonly streamId: number;
  readonly isEnd: boolean;
  readonly isCircular: boolean;
  readonly parts: Uint8Array[];
  bytes: number;
}

/** Joins header blocks from their frames (RFC 9113, section 4.3). */
export class HeaderBlocks {
  readonly #decoder: HpackDecoder;
  readonly #limits: HeaderLimits;
  #open: OpenBlock | undefined;

  constructor(decoder: HpackDecoder, limits: HeaderLimits) {
    this.#decoder = decoder;
    this.#limits = limits;
  }

  /** Throws a ConnectionError when `frame` interrupts a block. */
  check({ type, streamId }: Frame): void {
    if (this.#open === undefined) return;
    if (type !== frameTypes.continuation || streamId !== this.#open.streamId)
      throw protocolError('header fields do not continue');
  }

  /** `frame` is HEADERS or CONTINUATION. Returns the block when it is complete. Throws a ConnectionError. */
  take(frame: Frame): HeaderBlock | undefined {
    const isFirst = frame.type === frameTypes.headers;
    if (isFirst && (frame.flags & flags.endHeaders) !== 0) return this.#whole(frame);
    if (isFirst) this.#begin(frame);
    const block = this.#open;
    if (block === undefined) throw protocolError('a continuation of nothing');
    const part = isFirst ? headersIn(frame) : frame.payload;
    const isWhole = (frame.flags & flags.endHeaders) !== 0;
    block.parts.push(part);
    block.bytes += part.length;
    // Each part costs memory, even an empty one.
    if (block.bytes > this.#limits.fieldBytesMax || block.parts.length > PARTS_MAX) throw tooMany();
    if (!isWhole) {
      block.parts[block.parts.length - 1] = Uint8Array.from(part);
      return undefined;
    }
    this.#open = undefined;
    const { streamId, isEnd, isCircular } = block;
    return { streamId, isEnd, isCircular, fields: this.#decode(joined(block.parts)) };
  }

  /** Most blocks have one frame. */
  #whole(frame: Frame): HeaderBlock {
    const { streamId } = frame;
    const block = headersIn(frame);
    if (block.length > this.#limits.fieldBytesMax) throw tooMany();
    return {
      streamId,
      isEnd: (frame.flags & flags.endStream) !== 0,
      isCircular: priorityIn(frame) === streamId,
      fields: this.#decode(block),
    };
  }

  #begin(frame: Frame): void {
    const { streamId } = frame;
    const isEnd = (frame.flags & flags.endStream) !== 0;
    this.#open = { streamId, isEnd, isCircular: priorityIn(frame) === streamId, parts: [], bytes: 0 };
  }

  #decode(block: Uint8Array): Fields | undefined {
    const fields = this.#decoder.decode(block);
    return fields !== undefined && fields.length > this.#limits.fieldsMax * 2 ? undefined : fields;
  }
}

function tooMany(): ConnectionError {
  return new ConnectionError(errorCodes.enhanceYourCalm, 'too many header fields');
}
