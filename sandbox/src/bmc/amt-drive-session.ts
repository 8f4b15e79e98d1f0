/** A session of a simulated Intel AMT that gives the machine a CD drive, whose disc is on the other side. */
import {
  BLOCK_BYTES,
  device,
  iderMessage,
  iderType,
  resultIn,
  sequenceIn,
  type CommandResult,
} from '@tinkerbell/amt-redirection';
import type { AmtLies } from './amt-lies.ts';
import type { ReadableDisc } from './nbd-server.ts';

/** What firmware reads at once. */
const BLOCKS_AT_ONCE = 32;
const COMMAND_TIMEOUT_MS = 30_000;
const READ_CAPACITY = 0x25;
const READ_10 = 0x28;
const CAPACITY_BYTES = 8;

type Send = (bytes: Uint8Array) => void;

interface Running {
  readonly parts: Uint8Array[];
  readonly done: PromiseWithResolvers<Uint8Array>;
}

export class AmtDriveSession implements ReadableDisc {
  isOpen = false;
  /** Messages of the other side whose number is not the next one. */
  outOfOrder = 0;
  pings = 0;
  readonly #send: Send;
  readonly #lies: AmtLies;
  #sequence = 0;
  #expected = 0;
  /** One command at a time, as on a cable. */
  #last: Promise<unknown> = Promise.resolve();
  #running: Running | undefined;
  #abandoned: Running | undefined;

  constructor(send: Send, lies: AmtLies) {
    this.#send = send;
    this.#lies = lies;
  }

  async sizeBytes(): Promise<number> {
    const answer = await this.command(Uint8Array.of(READ_CAPACITY), CAPACITY_BYTES);
    return (Buffer.from(answer).readUInt32BE() + 1) * BLOCK_BYTES;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const first = Math.floor(offset / BLOCK_BYTES);
    const end = Math.ceil((offset + length) / BLOCK_BYTES);
    const parts: Uint8Array[] = [];
    for (let at = first; at < end; at += BLOCKS_AT_ONCE)
      parts.push(await this.#readBlocks(at, Math.min(BLOCKS_AT_ONCE, end - at)));
    return Buffer.concat(parts)
      .subarray(offset - first * BLOCK_BYTES)
      .subarray(0, length);
  }

  /** Sends a command of at most 12 bytes. Resolves with its data. Rejects with the sense, or when the data has another length. */
  command(packet: Uint8Array, length: number): Promise<Uint8Array> {
    const result = this.#last.then(() => this.#command(packet, length));
    this.#last = result.catch(() => undefined);
    return result;
  }

  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  /** Resets the drive. A command that runs fails. */
  reset(): void {
    this.#abandoned = this.#running;
    this.#send(iderMessage.reset(this.#sequence++));
  }

  /** Takes a message of the other side. Returns false when the session is over. */
  on(bytes: Uint8Array): boolean {
    if (sequenceIn(bytes) !== this.#expected) this.outOfOrder += 1;
    this.#expected += 1;
    switch (bytes[0]) {
      case iderType.open:
        return this.#open();
      case iderType.features:
        this.isOpen = true;
        this.#send(iderMessage.enabled(this.#sequence++, 1));
        return true;
      case iderType.ping:
        this.pings += 1;
        this.#send(iderMessage.pong(this.#sequence++));
        return true;
      case iderType.dataToHost:
      case iderType.commandEnd:
        this.#onResult(resultIn(bytes));
        return true;
      case iderType.resetDone:
        this.#abandoned?.done.reject(new Error('the drive was reset'));
        return true;
      case iderType.end:
        this.#send(iderMessage.ended(this.#sequence++));
        return true;
      default:
        return true;
    }
  }

  close(): void {
    this.isOpen = false;
    this.#running?.done.reject(new Error('the session has ended'));
  }

  #open(): boolean {
    const { hasNoIder, iderBufferBytes } = this.#lies;
    this.#send(iderMessage.opened(hasNoIder === true ? 1 : 0, this.#sequence++, iderBufferBytes));
    return hasNoIder !== true;
  }

  async #readBlocks(first: number, count: number): Promise<Uint8Array> {
    const packet = Buffer.alloc(12);
    packet[0] = READ_10;
    packet.writeUInt32BE(first, 2);
    packet.writeUInt16BE(count, 7);
    return await this.command(packet, count * BLOCK_BYTES);
  }

  async #command(packet: Uint8Array, length: number): Promise<Uint8Array> {
    if (!this.isOpen) throw new Error('no session is open');
    const running: Running = { parts: [], done: Promise.withResolvers<Uint8Array>() };
    this.#running = running;
    const late = setTimeout(() => running.done.reject(new Error('no answer')), COMMAND_TIMEOUT_MS);
    const padded = new Uint8Array(12);
    padded.set(packet);
    this.#send(iderMessage.command(this.#sequence++, { device: device.cd, isDma: true, packet: padded }));
    try {
      const bytes = await running.done.promise;
      if (bytes.length !== length) throw new Error(`${bytes.length} bytes instead of ${length}`);
      return bytes;
    } finally {
      clearTimeout(late);
      this.#running = undefined;
    }
  }

  #onResult({ bytes, isLast, sense: { key, code, qualifier } }: CommandResult): void {
    const running = this.#running;
    if (running === undefined) return;
    running.parts.push(bytes);
    if (key !== 0) running.done.reject(new Error(`sense ${key}/${code}/${qualifier}`));
    else if (isLast) running.done.resolve(Buffer.concat(running.parts));
  }
}
