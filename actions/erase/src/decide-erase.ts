/** Decides whether a disk may be erased as requested. It never chooses a weaker method. */
export const ERASE_METHODS = ['overwrite', 'discard'] as const;
export type EraseMethod = (typeof ERASE_METHODS)[number];

/** Methods that operators know from other tools, and the reason that they are refused. */
const REFUSED: Readonly<Record<string, string>> = {
  'nvme-format': 'run nvme format with cexec',
  'nvme-sanitize': 'run nvme sanitize with cexec',
  'ata-secure-erase': 'run hdparm with cexec',
};

export interface DiskFacts {
  readonly sizeBytes: number;
  readonly isPartition: boolean;
  /** 0 when the disk does not support discards. */
  readonly discardMaxBytes: number;
  readonly isReadOnly: boolean;
}

export type EraseDecision =
  | { readonly ok: true; readonly method: EraseMethod }
  | { readonly ok: false; readonly error: string };

export function decideErase(wanted: string, facts: DiskFacts): EraseDecision {
  const method = ERASE_METHODS.find((one) => one === wanted);
  if (method === undefined) return refusal(methodError(wanted));
  if (facts.isPartition) return refusal('it is a partition: erase the whole disk');
  if (facts.sizeBytes === 0) return refusal('it has no medium');
  if (facts.isReadOnly) return refusal('it is read-only');
  if (method === 'discard' && facts.discardMaxBytes === 0)
    return refusal('it does not support discard: set ERASE_METHOD to overwrite');
  return { ok: true, method };
}

function methodError(wanted: string): string {
  const known = ERASE_METHODS.join(' or ');
  const way = Object.hasOwn(REFUSED, wanted) ? `: ${REFUSED[wanted]}` : '';
  return `ERASE_METHOD=${wanted} is not supported, only ${known}${way}`;
}

function refusal(error: string): EraseDecision {
  return { ok: false, error };
}

/** Blocks of samples are aligned to this, and have this length. */
export const SAMPLE_BYTES = 4096;

/** Returns offsets from the first to the last block of the disk, in equal distances. */
export function sampleOffsets(sizeBytes: number, count: number): readonly number[] {
  const blocks = Math.floor(sizeBytes / SAMPLE_BYTES);
  const wanted = Math.min(count, blocks);
  if (wanted < 2) return wanted === 0 ? [] : [0];
  return Array.from(
    { length: wanted },
    (_, index) => Math.floor((index * (blocks - 1)) / (wanted - 1)) * SAMPLE_BYTES,
  );
}
