/**
 * Sends a part of a file as the body of a response. Over plain HTTP, the kernel copies what is in its cache directly to the
 * socket. When the socket is full, one small chunk is written through Node: when Node has written it, there is room again.
 * Another thread reads what is not cached, so that a slow disk blocks nothing else. Over TLS the bytes must be encrypted here. All
 * clients share a chunk then, which stays in the processor's caches.
 */
import type { FileHandle } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { TLSSocket } from 'node:tls';
import { nextTurn, type HeldFor } from '@tinkerbell/platform-contract';
import { ChunkPool } from './chunk-pool.ts';
import { ChunkWriter } from './chunk-writer.ts';
import { fileCalls, type FileCalls } from './file-calls.ts';
import type { FilePart } from './file-part.ts';

/** About 0.1 ms of the event loop. With a hundred clients at full speed, other responses wait 10 ms at most. */
const SENT_AT_ONCE_BYTES = 256 * 1024;
const CHUNK_BYTES = 64 * 1024;
/** While few parts are sent, what Node does for each chunk counts more than that encrypted chunks do not fit the processor's caches. */
const LARGE_CHUNK_BYTES = 256 * 1024;
const FEW_PARTS = 64;
/** The most memory that a plain-HTTP client which reads nothing can hold in this process. */
const SMALL_CHUNK_BYTES = 16 * 1024;
/** For all parts that get large chunks. Collecting chunks as garbage takes as much processor time as encrypting them. */
const KEPT = { keptBytes: FEW_PARTS * LARGE_CHUNK_BYTES, quietBytes: 4 * 1024 * 1024 };

const chunks = new ChunkPool(CHUNK_BYTES, KEPT);
const largeChunks = new ChunkPool(LARGE_CHUNK_BYTES, KEPT);
const smallChunks = new ChunkPool(SMALL_CHUNK_BYTES, KEPT);

/** The number of parts that are being sent. */
let parts = 0;

export interface SendOptions {
  /** The time that a client may take nothing. */
  readonly stalledMs?: number | undefined;
  /** Undefined where the system calls are not available. Then everything is copied. */
  readonly calls?: Promise<FileCalls | undefined>;
  /** Counts the chunks that the client has not taken yet. */
  readonly reader?: HeldFor;
}

/**
 * The response's head must have been sent, with a length. @throws Error when the file or the client ends before the part does.
 */
export async function sendFilePart(
  outgoing: ServerResponse,
  { name, open, range, progress }: FilePart,
  { stalledMs, reader, calls: loading = fileCalls() }: SendOptions = {},
): Promise<void> {
  parts += 1;
  try {
    await using file = await open();
    const calls = await loading;
    using writer = new ChunkWriter(outgoing, stalledMs);
    const sender = new FileSender({ outgoing, file, calls, reader, writer });
    for (let position = range.start; position <= range.end;) {
      const sent = await sender.send(position, range.end + 1 - position);
      if (sent === 0) throw new Error(`${name} ends at byte ${position}, before the requested part`);
      position += sent;
      progress?.moved(sent);
    }
  } finally {
    parts -= 1;
    if (parts === 0) for (const pool of [chunks, largeChunks, smallChunks]) pool.trim();
    progress?.ended();
  }
}

interface Sending {
  readonly outgoing: ServerResponse;
  readonly file: FileHandle;
  readonly calls: FileCalls | undefined;
  readonly reader: HeldFor | undefined;
  readonly writer: ChunkWriter;
}

class FileSender {
  readonly #sending: Sending;

  constructor(sending: Sending) {
    this.#sending = sending;
  }

  /** Sends some of the next `left` bytes and returns how many. Returns 0 when the file has ended. */
  async send(position: number, left: number): Promise<number> {
    const { outgoing, file, calls } = this.#sending;
    if (outgoing.destroyed) throw new Error('the client has disconnected');
    const socket = plainSocketOf(outgoing);
    const count = Math.min(SENT_AT_ONCE_BYTES, left);
    if (calls !== undefined && socket !== undefined && calls.isCached(file.fd, position, count)) {
      const sent = calls.sendFile(socket, file.fd, { position, count });
      if (sent > 0) {
        await nextTurn();
        return sent;
      }
      // The socket is full or broken. The write finds out which.
      return this.#copy(smallChunks, position, left);
    }
    return this.#copy(parts <= FEW_PARTS ? largeChunks : chunks, position, left);
  }

  async #copy(pool: ChunkPool, position: number, left: number): Promise<number> {
    const { file, calls, reader, outgoing } = this.#sending;
    const chunk = pool.take();
    const wanted = left < chunk.length ? chunk.subarray(0, left) : chunk;
    const cached = calls?.readCached(file.fd, wanted, position) ?? 0;
    const length = cached > 0 ? cached : (await file.read(wanted, 0, wanted.length, position)).bytesRead;
    reader?.holdSize(chunk.length);
    const isFree = encryptsAtOnce(outgoing);
    const writing = this.#written(length < wanted.length ? wanted.subarray(0, length) : wanted);
    // The next client's bytes take its place while it is in the processor's caches.
    if (isFree) pool.giveBack(chunk);
    await writing;
    reader?.releaseSize(chunk.length);
    // Not after a failure, because then nothing reports when the bytes are no longer in use.
    if (!isFree) pool.giveBack(chunk);
    return length;
  }

  async #written(bytes: Uint8Array): Promise<void> {
    if (bytes.length > 0) await this.#sending.writer.write(bytes);
  }
}

/**
 * A TLS connection that nothing waits for encrypts what it is given in that call. What it cannot encrypt then, it copies (TLSWrap::DoWrite of
 * Node).
 */
function encryptsAtOnce({ socket, writableLength }: ServerResponse): boolean {
  return socket instanceof TLSSocket && socket.writableCorked === 0 && writableLength === 0;
}

/**
 * Returns the descriptor of a socket that has sent everything it was given. Returns undefined for TLS, and while an earlier
 * response is being sent.
 */
function plainSocketOf({ socket, writableLength }: ServerResponse): number | undefined {
  if (socket === null || socket instanceof TLSSocket || socket.writableLength > 0 || writableLength > 0)
    return undefined;
  // Node.js has no public name for it.
  const handle = '_handle' in socket ? socket._handle : undefined;
  if (typeof handle !== 'object' || handle === null || !('fd' in handle)) return undefined;
  return typeof handle.fd === 'number' && handle.fd >= 0 ? handle.fd : undefined;
}
