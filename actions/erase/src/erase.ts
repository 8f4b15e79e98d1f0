import {
  ActionError,
  assertBlockDevice,
  defineAction,
  formatBytes,
  mustRun,
  openDiskReader,
  openWholeDisk,
  readEnvironment,
  rereadPartitionTable,
  type ActionContext,
} from '@tinkerbell/action-kit';

import {
  decideErase,
  SAMPLE_BYTES,
  sampleOffsets,
  type DiskFacts,
  type EraseMethod,
} from './decide-erase.ts';
import { readDiskFacts } from './disk-facts.ts';
import { overwrite } from './overwrite.ts';

const SAMPLES = 1000;

/** Erases a whole disk. Variables: ERASE_DISK and ERASE_METHOD. */
export const eraseAction = defineAction('erase', async (environment, context) => {
  const read = readEnvironment('erase', environment);
  const disk = read.absolutePath('ERASE_DISK', 'the whole disk, for example /dev/sda');
  const wanted = read.required('ERASE_METHOD', 'overwrite or discard');
  read.finish();
  await assertBlockDevice(disk);
  const facts = await readDiskFacts(disk);
  const decision = decideErase(wanted, facts);
  if (!decision.ok) throw new ActionError(`${disk} is not erased: ${decision.error}`);
  const samples = await eraseDisk({ disk, facts, method: decision.method }, context);
  const size = formatBytes(facts.sizeBytes);
  return {
    message: `erased ${disk} (${size}) by ${decision.method}; ${samples} samples have no old content`,
  };
});

interface Erasure {
  readonly disk: string;
  readonly facts: DiskFacts;
  readonly method: EraseMethod;
}

/** Returns the number of samples. */
async function eraseDisk({ disk, facts, method }: Erasure, context: ActionContext): Promise<number> {
  const offsets = sampleOffsets(facts.sizeBytes, SAMPLES);
  const before = await readSamples(disk, offsets);
  context.log.info('erasing disk', { disk, method });
  if (method === 'overwrite') {
    await using file = await openWholeDisk(disk);
    await overwrite(file, facts.sizeBytes, context);
    rereadPartitionTable(file.fd);
  } else {
    // Opened to be refused while in use. The program opens it again.
    await (await openWholeDisk(disk)).close();
    await mustRun('blkdiscard', [disk], { signal: context.signal, log: context.log });
  }
  context.progress({ message: `reading ${offsets.length} samples of ${disk}` });
  const after = await readSamples(disk, offsets);
  for (const [index, sample] of after.entries())
    assertErased(sample, before[index], { method, disk, offset: offsets[index] ?? 0 });
  return offsets.length;
}

async function readSamples(disk: string, offsets: readonly number[]): Promise<readonly Buffer[]> {
  await using reader = await openDiskReader(disk);
  const samples: Buffer[] = [];
  for (const offset of offsets) samples.push(Buffer.from(await reader.read(offset, SAMPLE_BYTES)));
  return samples;
}

/** A block that had only zeros before may have them again. */
function assertErased(
  after: Buffer,
  before: Buffer | undefined,
  at: { readonly method: EraseMethod; readonly disk: string; readonly offset: number },
): void {
  const isZero = after.every((byte) => byte === 0);
  const isErased = at.method === 'discard' ? isZero : isZero || before?.equals(after) === false;
  if (isErased) return;
  const advice = at.method === 'discard' ? ': set ERASE_METHOD to overwrite' : ': replace the disk';
  throw new ActionError(`${at.disk} still returns data at byte ${at.offset} after ${at.method}${advice}`);
}
