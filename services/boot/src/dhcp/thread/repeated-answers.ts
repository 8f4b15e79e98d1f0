/**
 * A machine repeats its requests: when an answer is lost, when it renews its lease, and each time it boots. The answer to a request that
 * differs from the last one in nothing but `xid` and `secs` (RFC 2131 section 2) is the last one with the new `xid`, as long as the
 * reservation, the settings and the boot files are the same.
 */
import type { ReplyDestination } from '@tinkerbell/dhcp';
import type { UdpAddress } from '@tinkerbell/platform-contract';
import { macToBytes, type Mac } from '@tinkerbell/wire';
import { CLIENT_PLACES, HARDWARE_ADDRESS_OFFSET, macNumberAt, placeOf } from '../client-limit.ts';
import type { Known } from './known-binaries.ts';
import {
  isSamePacked,
  packedBytes,
  packedForm,
  packInto,
  unpackWithin,
  type PackedForm,
} from './packed-packet.ts';

/** What is known of an answer besides its bytes. */
export interface AnswerFacts {
  readonly destination: ReplyDestination | UdpAddress;
  /** Values of option 53. */
  readonly requestType: number | undefined;
  readonly replyType: number | undefined;
  /** The boot file. */
  readonly file: string | undefined;
  /** The boot files that the decision asked for. */
  readonly binaries: readonly Known[];
}

interface Kind {
  readonly facts: AnswerFacts;
  readonly requestForm: PackedForm;
  readonly replyForm: PackedForm;
}

export interface RepeatedAnswer {
  /** Most machines behind a relay share it. */
  readonly kind: Kind;
  /** Where request and reply are, counted from the first byte that was ever written. */
  readonly at: number;
}

/** A machine sends DISCOVER, then REQUEST. The answers to two machines with the same place replace each other. */
const WAYS = 2;
/** Two answers each of 16,384 machines with 500 bytes, requests included. Bytes that were never written take no memory. */
const MEMORY_BYTES = 16 * 1024 * 1024;
/** Kinds beyond this number are no longer shared with those before. */
const KINDS_MAX = 1024;
/** Longer requests and answers are not kept. */
const PACKET_BYTES_MAX = 1500;
/** Of option 53, when it is the first option. */
const TYPE_OFFSET = 242;
const XID = { from: 4, to: 8 } as const;

/** Forged requests can only replace answers, and cost no further memory. */
export class RepeatedAnswers {
  readonly #memory = new Uint8Array(MEMORY_BYTES + PACKET_BYTES_MAX);
  readonly #answers: (RepeatedAnswer | undefined)[] = Array.from({ length: WAYS * CLIENT_PLACES });
  readonly #kinds = new Map<string, Kind>();
  /** What was written last for each place, which the next answer there may take: where, and how many bytes. */
  readonly #roomAt = new Float64Array(WAYS * CLIENT_PLACES);
  readonly #roomBytes = new Uint16Array(WAYS * CLIENT_PLACES);
  #written = 0;
  #view = this.#memory.subarray(MEMORY_BYTES);

  /** Returns the answer to the same request, if it is still valid. */
  find(request: Uint8Array): RepeatedAnswer | undefined {
    const answer = this.#answers[indexOf(request)];
    if (answer === undefined || this.#written > answer.at + MEMORY_BYTES) return undefined;
    const isSame = isSamePacked(request, {
      memory: this.#memory,
      at: answer.at % MEMORY_BYTES,
      form: answer.kind.requestForm,
    });
    return isSame ? answer : undefined;
  }

  /** Returns the bytes of the answer to this request. They are valid until the next call. */
  bytesFor(request: Uint8Array, { at, kind }: RepeatedAnswer): Uint8Array {
    const { requestForm, replyForm } = kind;
    const memory = this.#memory;
    unpackWithin(memory, {
      from: (at % MEMORY_BYTES) + packedBytes(requestForm),
      to: MEMORY_BYTES,
      form: replyForm,
    });
    for (let index = XID.from; index < XID.to; index += 1) memory[MEMORY_BYTES + index] = request[index] ?? 0;
    const { length } = replyForm;
    if (this.#view.length !== length) this.#view = memory.subarray(MEMORY_BYTES, MEMORY_BYTES + length);
    return this.#view;
  }

  keep(request: Uint8Array, reply: Uint8Array, facts: AnswerFacts): void {
    if (request.length > PACKET_BYTES_MAX || reply.length > PACKET_BYTES_MAX) return;
    const [asked, answered] = [packedForm(request), packedForm(reply)];
    const index = indexOf(request);
    const at = this.#roomFor(index, packedBytes(asked) + packedBytes(answered));
    const start = at % MEMORY_BYTES;
    packInto(this.#memory, { bytes: request, at: start, form: asked });
    packInto(this.#memory, { bytes: reply, at: start + packedBytes(asked), form: answered });
    const kind = this.#shared({ facts, requestForm: asked, replyForm: answered });
    this.#answers[index] = { kind, at };
  }

  /** Otherwise machines that share a place, or whose requests change, would fill all of the memory. */
  #roomFor(index: number, length: number): number {
    const lastAt = this.#roomAt[index] ?? 0;
    const isThere = this.#written <= lastAt + MEMORY_BYTES;
    if (isThere && length <= (this.#roomBytes[index] ?? 0)) return lastAt;
    const place = this.#written % MEMORY_BYTES;
    if (place + length > MEMORY_BYTES) this.#written += MEMORY_BYTES - place;
    const at = this.#written;
    this.#written += length;
    this.#roomAt[index] = at;
    this.#roomBytes[index] = length;
    return at;
  }

  #shared(kind: Kind): Kind {
    const { binaries, ...texts } = kind.facts;
    const key = JSON.stringify([texts, kind.requestForm, kind.replyForm]);
    const known = this.#kinds.get(key);
    if (known !== undefined && isSameList(known.facts.binaries, binaries)) return known;
    if (this.#kinds.size >= KINDS_MAX) this.#kinds.clear();
    this.#kinds.set(key, kind);
    return kind;
  }

  /** The reservation of the machine has changed. */
  forget(mac: Mac): void {
    const place = firstPlaceAt(macToBytes(mac), 0);
    this.#answers.fill(undefined, place, place + WAYS);
  }
}

/** The first place for answers to the MAC at this offset. */
function firstPlaceAt(bytes: Uint8Array, offset: number): number {
  return placeOf(macNumberAt(bytes, offset)) * WAYS;
}

function indexOf(request: Uint8Array): number {
  const way = ((request[TYPE_OFFSET] ?? 0) >> 1) & 1;
  return firstPlaceAt(request, HARDWARE_ADDRESS_OFFSET) + way;
}

function isSameList(some: readonly Known[], others: readonly Known[]): boolean {
  return some.length === others.length && some.every((one, index) => one === others[index]);
}
