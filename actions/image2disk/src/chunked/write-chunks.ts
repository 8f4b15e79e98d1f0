/**
 * Writes a disk image from a registry. The disk itself says what is missing: a chunk that it has already, from an interrupted
 * write or an earlier version of the image, is not fetched again.
 */
import { ActionError, type RangeRequest } from '@tinkerbell/action-kit';
import {
  chunkTable,
  probePositions,
  stretchesOf,
  type DiskImage,
  type PlacedChunk,
  type Stretch,
} from '@tinkerbell/images';
import { hexOf } from '@tinkerbell/oci';
import type { ChunkDisk } from './chunk-disk.ts';
import type { ChunkThreads, Slot } from './chunk-threads.ts';
import { Sharing } from '../peers/sharing.ts';
import { RangeConnections } from './range-connections.ts';
import type { RegistryImage } from './registry-image.ts';
import { nextRequestBytes } from './request-size.ts';
import { inOrder, shared, type Assignment, type Source, type StretchSource } from './stretch-source.ts';
import {
  diskBytesOf,
  writeFromPeer,
  writeFromServer,
  type FromPeer,
  type FromServer,
} from './write-stretch.ts';

/** Stretches at once: some arrive while others are unpacked and written. Each takes up to 6 MiB of memory. */
const LANES = 6;
/** Chunks that are sent to other agents at once, and the memory for them. */
const ANSWERS_MAX = 4;
const ANSWERS_BYTES_MAX = 8 * 1024 * 1024;

export interface ChunkTotals {
  /** From the server. */
  readonly fetchedBytes: number;
  readonly peerBytes: number;
  /** How many damaged chunks came from which address. */
  readonly damagedFrom: ReadonlyMap<string, number>;
  readonly keptChunks: number;
  readonly chunks: number;
}

interface Totals {
  fetchedBytes: number;
  peerBytes: number;
  readonly damagedFrom: Map<string, number>;
  keptChunks: number;
  chunks: number;
}

interface Work {
  readonly registry: RegistryImage;
  readonly disk: ChunkDisk;
  readonly request: Omit<RangeRequest, 'url'>;
  /** Without memory yet. */
  readonly threads: ChunkThreads;
  /** The address of the manifest, whose server names peers. Absent: alone. */
  readonly peersFrom?: URL | undefined;
  /** Called for each stretch that the disk has. */
  done(bytes: number): void;
}

interface RunningWork extends Work {
  readonly connections: RangeConnections;
  readonly sharing: Sharing | undefined;
}

/** @throws ActionError when a chunk cannot be fetched, is damaged, or cannot be written. */
export async function writeChunks(order: Work): Promise<ChunkTotals> {
  const { threads } = order;
  const { image } = order.registry;
  const servingSlots = order.peersFrom === undefined ? 0 : answersAtOnce(image);
  threads.allocate(image, { slots: LANES, servingSlots });
  const failed = new AbortController();
  const signal = AbortSignal.any([order.request.signal, failed.signal]);
  const request = { ...order.request, signal };
  const stopOthers = (error: unknown): never => {
    failed.abort();
    throw error;
  };
  // Beside the question for peers. A failure is thrown below.
  const probing = holdsAPart(order);
  const zeroing = zeroGaps(order).catch(stopOthers);
  for (const one of [probing, zeroing]) one.catch(() => {});
  await using sharing = await sharingFor({ ...order, request });
  using connections = new RangeConnections();
  const work = { ...order, request, sharing, connections };
  const mayKeep = await probing;
  const totals: Totals = { fetchedBytes: 0, peerBytes: 0, keptChunks: 0, chunks: 0, damagedFrom: new Map() };
  const source = sharing === undefined ? inOrder(image) : shared(sharing, { lanes: LANES, ...request });
  const lanes = threads.slots.map((slot) =>
    writeLane(work, { source, mayKeep, totals, slot }).catch(stopOthers),
  );
  const ends = await Promise.allSettled([zeroing, ...lanes]);
  // The first one is the cause. The others were stopped by it.
  const causes = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  if (order.request.signal.aborted) throw new ActionError('writing the image was stopped at the timeout');
  if (causes.length > 0)
    throw causes.find((cause) => !/was stopped at the timeout/.test(String(cause))) ?? causes[0];
  return totals;
}

interface LaneTurns extends Omit<Turn, 'assignment'> {
  readonly source: StretchSource;
}

async function writeLane(work: RunningWork, { source, ...turn }: LaneTurns): Promise<void> {
  const { request, registry } = work;
  let requestBytes = 0;
  while (!request.signal.aborted) {
    const [first, ...more] = await source.next(turn.slot.number, requestBytes);
    if (first === undefined) return;
    // A peer sends one at a time, and what the disk may have is fetched after a look at it.
    if (turn.mayKeep || first.from !== undefined) {
      await writeAssigned(work, { ...turn, assignment: first });
      continue;
    }
    const fetched = await writeNew(work, { ...turn, assignments: [first, ...more] });
    requestBytes = nextRequestBytes(fetched, registry.image);
  }
}

/** Undefined: alone. */
async function sharingFor({
  registry,
  disk,
  request,
  threads,
  peersFrom,
}: Work): Promise<Sharing | undefined> {
  const table = peersFrom === undefined ? undefined : chunkTable(registry.image);
  if (peersFrom === undefined || table === undefined) return undefined;
  return await Sharing.open({ registry, disk, threads, table, request: { ...request, url: peersFrom } });
}

/** A serving slot has room for a chunk, as it is and packed. */
function answersAtOnce({ chunkBytes }: DiskImage): number {
  return Math.max(1, Math.min(ANSWERS_MAX, Math.floor(ANSWERS_BYTES_MAX / (2 * chunkBytes))));
}

interface NewTurn {
  readonly assignments: readonly [Assignment, ...Assignment[]];
  readonly totals: Totals;
  readonly slot: Slot;
}

/** Whatever the disk has there, all of it comes from the server. */
async function writeNew(work: RunningWork, { assignments, totals, slot }: NewTurn): Promise<FromServer> {
  const [first, ...more] = assignments;
  const fetched = await writeFromServer(work, [first.stretch, ...more.map(({ stretch }) => stretch)], {
    slot,
    written(index) {
      const assignment = assignments[index] ?? first;
      const { stretch } = assignment;
      totals.chunks += stretch.length;
      assignment.done();
      work.done(diskBytesOf(stretch));
    },
  });
  totals.fetchedBytes += fetched.bytes;
  return fetched;
}

interface Turn {
  readonly assignment: Assignment;
  readonly mayKeep: boolean;
  readonly totals: Totals;
  readonly slot: Slot;
}

async function writeAssigned(work: RunningWork, { assignment, mayKeep, totals, slot }: Turn): Promise<void> {
  const { stretch, from } = assignment;
  const missing = mayKeep ? await missingIn(work, stretch, slot) : stretch;
  const parts = [...stretchesOf(missing, work.registry.image)];
  const left =
    from === undefined ? parts : await takeFrom(work, { source: from, parts, stretch, totals, slot });
  if (left === 'busy') return;
  for (const part of left) {
    const { bytes } = await writeFromServer(work, [part], { slot });
    totals.fetchedBytes += bytes;
  }
  totals.chunks += stretch.length;
  totals.keptChunks += stretch.length - missing.length;
  assignment.done();
  work.done(diskBytesOf(stretch));
}

interface PeerTurn extends Pick<Turn, 'totals' | 'slot'> {
  readonly source: Source;
  readonly parts: readonly Stretch[];
  readonly stretch: Stretch;
}

/** Returns the parts that the peer did not send. */
async function takeFrom(work: RunningWork, turn: PeerTurn): Promise<readonly Stretch[] | 'busy'> {
  const { source, parts, stretch, totals, slot } = turn;
  for (const [index, part] of parts.entries()) {
    const numbers = part.map((chunk) => source.first + stretch.indexOf(chunk));
    const end = await writeFromPeer(work, { stretch: part, numbers, slot, peer: source.peer });
    if (end.kind === 'written') {
      totals.peerBytes += end.bytes;
      continue;
    }
    if (end.kind === 'busy') {
      source.busy();
      return 'busy';
    }
    source.wrong();
    recordWrong(work, { totals, ...end });
    return parts.slice(index);
  }
  if (parts.length === 0) source.unused();
  else source.delivered();
  return [];
}

function recordWrong(
  { request }: RunningWork,
  { totals, ...wrong }: FromPeer & { readonly kind: 'wrong' } & { readonly totals: Totals },
): void {
  request.log.warn('a peer is not asked again', { peer: wrong.address, reason: wrong.reason });
  const { damagedFrom } = totals;
  if (wrong.isDamaged) damagedFrom.set(wrong.address, (damagedFrom.get(wrong.address) ?? 0) + 1);
}

/** A disk with other content is not read as a whole. */
async function holdsAPart(work: Work): Promise<boolean> {
  const probes = probePositions(work.registry.image).values();
  let found = false;
  const probe = async (slot: Slot): Promise<void> => {
    for (const chunk of probes) {
      if (!found && (await missingIn(work, [chunk], slot)).length === 0) found = true;
    }
  };
  await Promise.all(work.threads.slots.map(probe));
  return found;
}

/** Returns the chunks that the disk does not have. */
async function missingIn(
  { disk, threads }: Work,
  stretch: Stretch,
  slot: Slot,
): Promise<readonly PlacedChunk[]> {
  const [{ diskOffset }] = stretch;
  const { length } = await disk.read(slot.disk, diskOffset, diskBytesOf(stretch));
  const found = stretch.filter((chunk) => chunk.diskOffset + chunk.diskLength - diskOffset <= length);
  const digests = await threads.digests(
    slot,
    found.map((chunk) => ({ start: chunk.diskOffset - diskOffset, length: chunk.diskLength })),
  );
  return stretch.filter(({ stored }, index) => digests[index] !== hexOf(stored.digest));
}

async function zeroGaps({ disk, threads, registry: { image } }: Work): Promise<void> {
  for (const gap of gapsOf(image)) await disk.zeros(gap, (range) => threads.zero(range));
}

function* gapsOf({ runs, chunkBytes, diskBytes }: DiskImage): Generator<{ offset: number; length: number }> {
  let offset = 0;
  for (const { position, count } of runs) {
    if (position * chunkBytes > offset) yield { offset, length: position * chunkBytes - offset };
    offset = (position + count) * chunkBytes;
  }
  if (offset < diskBytes) yield { offset, length: diskBytes - offset };
}
