/** Captures the frames on a network interface, by tcpdump. */
import { spawn } from 'node:child_process';

/** An Ethernet frame with UDP in IPv4. */
export interface Frame {
  /** Lower case, colon separated. */
  readonly toMac: string;
  readonly to: string;
  readonly from: string;
  readonly payload: Uint8Array;
}

export interface Capture {
  /** Resolves with the first frame, earlier or later, that `isWanted` accepts. */
  frame(isWanted: (frame: Frame) => boolean): Promise<Frame>;
  readonly frames: readonly Frame[];
  /** Rejects when frames were lost. */
  stop(): Promise<void>;
}

const FILE_HEADER_BYTES = 24;
const RECORD_HEADER_BYTES = 16;
const ETHERNET_BYTES = 14;
const UDP_BYTES = 8;

/**
 * More than any frame here. By default tcpdump reserves 64 KiB of its buffer for each frame, so that the 33rd frame of a burst is
 * lost when tcpdump has to wait for a processor.
 */
const SNAPSHOT_BYTES = 2048;

/** Resolves when the capture runs. `filter` is a tcpdump expression. */
export async function startCapture(namespace: string, name: string, filter: string): Promise<Capture> {
  const options = ['-i', name, '-n', '-U', '--immediate-mode', '-s', `${SNAPSHOT_BYTES}`, '-w', '-'];
  const tcpdump = ['/usr/bin/tcpdump', ...options, filter];
  const child = spawn('ip', ['netns', 'exec', namespace, ...tcpdump], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<void>((done) => child.once('close', () => done()));
  const frames: Frame[] = [];
  const waiting = new Set<() => void>();
  let bytes = Buffer.alloc(0);
  let at = FILE_HEADER_BYTES;
  child.stdout.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (let next = recordEnd(bytes, at); next !== undefined; next = recordEnd(bytes, at)) {
      frames.push(frameOf(bytes.subarray(at + RECORD_HEADER_BYTES, next)));
      at = next;
    }
    for (const look of waiting) look();
  });
  let report = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      report += chunk.toString();
      if (report.includes('listening on')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`tcpdump ended with ${code}`)));
  });
  return {
    frames,
    frame: (isWanted) =>
      new Promise((resolve) => {
        const look = () => {
          const found = frames.find(isWanted);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    async stop() {
      child.kill();
      await ended;
      const lost = Number(/(\d+) packets? dropped by kernel/.exec(report)?.[1] ?? 0);
      if (lost > 0) throw new Error(`tcpdump lost ${lost} frames`);
    },
  };
}

function recordEnd(bytes: Buffer, at: number): number | undefined {
  if (bytes.length < at + RECORD_HEADER_BYTES) return undefined;
  const end = at + RECORD_HEADER_BYTES + bytes.readUInt32LE(at + 8);
  return bytes.length < end ? undefined : end;
}

function frameOf(bytes: Buffer): Frame {
  const address = (at: number) => [...bytes.subarray(at, at + 4)].join('.');
  const udp = ETHERNET_BYTES + (bytes.readUInt8(ETHERNET_BYTES) & 15) * 4;
  return {
    toMac: bytes
      .subarray(0, 6)
      .toString('hex')
      .replaceAll(/(..)(?!$)/g, '$1:'),
    from: `${address(ETHERNET_BYTES + 12)}:${bytes.readUInt16BE(udp)}`,
    to: `${address(ETHERNET_BYTES + 16)}:${bytes.readUInt16BE(udp + 2)}`,
    payload: Uint8Array.from(bytes.subarray(udp + UDP_BYTES, udp + bytes.readUInt16BE(udp + 4))),
  };
}
