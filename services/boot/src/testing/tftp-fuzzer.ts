/**
 * Feeds broken packets to the decoder and the whole listener, from one port and from many, and checks each answer. To run it by
 * hand, for any time: `node services/boot/src/testing/tftp-fuzzer.ts --count 2000000 --seed 7`
 */
import assert from 'node:assert/strict';
import {
  datagramAt,
  peerOf,
  type UdpAddress,
  type UdpPeer,
  type UdpHandlers,
  type UdpSocket,
} from '@tinkerbell/platform-contract';
import { MetricSet, samplesOf } from '@tinkerbell/platform-metrics';
import { decodeTftp, defaultTransferLimits, encodeTftp } from '@tinkerbell/tftp';
import { bytesToHex } from '@tinkerbell/wire';
import type { BootFile } from '../boot-files/index.ts';
import { createBootMetrics } from '../metrics.ts';
import { TftpListener } from '../tftp/listener.ts';
import { createTftpTimeline } from '../tftp/timeline.ts';
import { CANARY, fuzzByHand, heapBytes, SLOW_MS, WARM_UP, type FuzzReport } from './fuzzing.ts';
import { createRandom } from './packet-mutator.ts';
import { fixedView, recordingJournal, silentLog } from './rack.ts';
import { mutatedTftp, tftpSeedPackets } from './tftp-packet-mutator.ts';

const BUFFER_BYTES = 4096;
const PACKET_AT = 1024;
const CLIENTS = 30;
const PORTS_PER_CLIENT = 4;
/** Bytes count up and restart after this value. Foreign bytes break the sequence. */
const FILE_PERIOD = 251;

interface FuzzRun {
  readonly count: number;
  readonly seed: number;
}

/** Throws AssertionError, with seed and packet, at the first wrong answer and at slow packets. */
export async function fuzzTftp(run: FuzzRun): Promise<FuzzReport> {
  const first = await fuzzOnce(run);
  if (first.slow.size === 0) return first;
  // A busy host may be slow at any packet. A truly slow packet is slow again.
  const second = await fuzzOnce(run);
  const slow = [...second.slow].filter(([index]) => first.slow.has(index));
  const told = slow.map(([index, milliseconds]) => `packet ${index} took ${milliseconds} ms`);
  assert.deepEqual(told, [], `seed ${run.seed}`);
  return second;
}

/** `slow` has the times of slow packets, by their index. */
async function fuzzOnce({
  count,
  seed,
}: FuzzRun): Promise<FuzzReport & { readonly slow: ReadonlyMap<number, number> }> {
  const random = createRandom(seed);
  const seeds = tftpSeedPackets();
  const world = createWorld();
  const racks = [await world.listen(true), await world.listen(false)];
  const buffer = Buffer.alloc(BUFFER_BYTES, CANARY);
  const slow = new Map<number, number>();
  const report = { slowestMs: 0, heapBefore: 0 };
  for (let index = 0; index < count; index += 1) {
    if (index === Math.min(WARM_UP, count >> 1)) report.heapBefore = heapBytes();
    const sockets = racks[random(2)] ?? [];
    const socket = random(2) === 0 ? sockets[0] : sockets[random(sockets.length)];
    const { bytes, peer } = nextPacket(socket, seeds, random);
    world.say = (what) => `${what}; seed ${seed}, packet ${index}: ${bytesToHex(bytes)}`;
    const before = process.threadCpuUsage();
    buffer.set(bytes, PACKET_AT);
    const datagram = {
      bytes: buffer.subarray(PACKET_AT, PACKET_AT + bytes.length),
      networkInterface: undefined,
    };
    socket?.handlers.onDatagram({ ...datagram, peer });
    buffer.fill(CANARY);
    // Processor time, because other processes may run in between.
    const { user, system } = process.threadCpuUsage(before);
    const takenMs = (user + system) / 1000;
    report.slowestMs = Math.max(report.slowestMs, takenMs);
    if (takenMs >= SLOW_MS) slow.set(index, takenMs);
    // A file that is searched or read continues in a later turn of the microtasks.
    for (let turn = 0; turn < 6; turn += 1) await Promise.resolve();
    checkRoundTrip(bytes, world.say);
    world.passTime(random(40));
  }
  const { slowestMs, heapBefore } = report;
  const heapGrowthBytes = heapBytes() - heapBefore;
  return { answered: world.answered(), counters: samplesOf(world.set), slowestMs, slow, heapGrowthBytes };
}

/** From the client that the socket serves, or from a stranger. */
function nextPacket(
  socket: FakeSocket | undefined,
  seeds: ReturnType<typeof tftpSeedPackets>,
  random: ReturnType<typeof createRandom>,
): { readonly bytes: Uint8Array; readonly peer: UdpPeer } {
  const isOwner = random(8) > 0;
  // The correct answer moves a transfer past its start.
  const isRight = isOwner && random(3) === 0;
  const bytes = (isRight ? socket?.rightAnswer : undefined) ?? mutatedTftp(seeds, random);
  const stranger = peerOf(`10.0.0.${random(CLIENTS)}`, 1024 + random(PORTS_PER_CLIENT));
  return { bytes, peer: isOwner ? (socket?.lastPeer ?? stranger) : stranger };
}

interface FakeSocket {
  readonly handlers: UdpHandlers;
  /** The last recipient, and a good client's answer. */
  lastPeer: UdpPeer | undefined;
  rightAnswer: Uint8Array | undefined;
}

/** Clock, files and network of two listeners. */
function createWorld() {
  let now = 0;
  let answered = 0;
  const tasks = new Set<{ readonly atMs: number; readonly task: () => void }>();
  const set = new MetricSet();
  const metrics = createBootMetrics(set);
  const world = {
    set,
    say: (what: string) => what,
    answered: () => answered,
    passTime(milliseconds: number): void {
      now += milliseconds;
      for (const due of tasks) {
        if (due.atMs > now) continue;
        tasks.delete(due);
        due.task();
      }
    },
    async listen(singlePort: boolean): Promise<FakeSocket[]> {
      const sockets: FakeSocket[] = [];
      const open = async (_: unknown, handlers: UdpHandlers): Promise<UdpSocket> => {
        const fake: FakeSocket = { handlers, lastPeer: undefined, rightAnswer: undefined };
        sockets.push(fake);
        const onSent = (bytes: Uint8Array, to: UdpAddress) => {
          answered += 1;
          fake.lastPeer = peerOf(to.address, to.port);
          fake.rightAnswer = checkAnswer(bytes, world.say);
        };
        const close = async () => void sockets.splice(sockets.indexOf(fake), 1);
        return {
          local: { address: '10.0.0.254', port: 69 },
          send: onSent,
          sendRun(run, to) {
            for (let index = 0; index < run.count; index += 1) onSent(datagramAt(run, index), to);
          },
          sendToMac: () => false,
          close,
          [Symbol.asyncDispose]: close,
        };
      };
      const clock = {
        nowMs: () => now,
        monotonicMs: () => now,
        schedule(delayMs: number, task: () => void) {
          const entry = { atMs: now + delayMs, task };
          tasks.add(entry);
          return () => tasks.delete(entry);
        },
      };
      const journal = { ...recordingJournal(), append() {} };
      const timeline = createTftpTimeline({ log: silentLog, journal, view: fixedView([]) }, metrics);
      const caps = { transfersMax: 60, transfersPerClientMax: 3 };
      const listener = new TftpListener({
        deps: { udp: { open, networkInterfaces: () => [] }, clock, log: silentLog },
        config: { address: '10.0.0.254', port: 69, singlePort, limits: defaultTransferLimits, ...caps },
        files: fakeFiles,
        timeline,
      });
      await listener.start();
      return sockets;
    },
  };
  return world;
}

const content = Uint8Array.from({ length: 200_000 }, (_, index) => index % FILE_PERIOD);

/** One file in memory, one that is read, one that is unreadable, one that is refused. */
const fakeFiles = {
  binary: async () => undefined,
  ownHookIpxe: async () => undefined,
  async find({ fileName }: { fileName: string }) {
    const slice = (offset: number, length: number) => content.subarray(offset, offset + length);
    const file = (sizeBytes: number, read: BootFile['slice']) =>
      ({ kind: 'file', file: { sizeBytes, slice: read } }) as const;
    if (fileName === 'small') return file(9_000, slice);
    if (fileName === 'large') return file(content.length, async (offset, length) => slice(offset, length));
    if (fileName === 'broken') return file(9_000, () => Promise.reject(new Error('broken')));
    if (fileName === 'refused') return { kind: 'refused', message: 'a\nfield' } as const;
    return { kind: 'not-found', asked: ['here'] } as const;
  },
};

/** The acknowledgement of a good client. */
function checkAnswer(bytes: Uint8Array, say: (what: string) => string): Uint8Array | undefined {
  const decoded = decodeTftp(bytes);
  if (!decoded.ok) return assert.fail(say('the answer cannot be read'));
  const packet = decoded.value;
  if (packet.kind === 'data') {
    const first = packet.bytes[0] ?? 0;
    const expected = content.subarray(first, first + packet.bytes.length);
    if (Buffer.compare(packet.bytes, expected) !== 0)
      assert.fail(say('DATA has bytes that are not of the file'));
    return encodeTftp({ kind: 'acknowledge', block: packet.block });
  }
  if (packet.kind !== 'error' && packet.kind !== 'option-acknowledge')
    return assert.fail(say(`the answer is ${packet.kind}`));
  if (bytes.length > 512) assert.fail(say(`the answer has ${bytes.length} bytes`));
  if (Buffer.from(bytes).includes(CANARY)) assert.fail(say('the answer has bytes of another packet'));
  return packet.kind === 'error' ? undefined : encodeTftp({ kind: 'acknowledge', block: 0 });
}

/** A decoded packet can be encoded, and decodes to the same value. */
function checkRoundTrip(bytes: Uint8Array, say: (what: string) => string): void {
  const decoded = decodeTftp(bytes);
  if (!decoded.ok) return;
  const again = decodeTftp(encodeTftp(decoded.value));
  if (!again.ok || again.value.kind !== decoded.value.kind) assert.fail(say('it is decoded differently'));
}

if (import.meta.main) await fuzzByHand(fuzzTftp);
