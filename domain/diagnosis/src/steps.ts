/** The steps of a boot that can end in silence, and how long each usually takes. */
import type { StagedRecord } from './boot/boot-records.ts';

export interface StepDescription {
  /** What the machine has done, as the end of a sentence. */
  readonly after: string;
  /** What it does next. */
  readonly before: string;
  /** The duration for which nine of ten machines need no longer, until the server has seen machines of the model. */
  readonly usualSeconds: number;
}

export const stepNames = [
  'power-on',
  'address',
  'loader',
  'script',
  'kernel',
  'transfer',
  'system',
  'agent',
] as const;
export type StepName = (typeof stepNames)[number];

export const steps: Readonly<Record<StepName, StepDescription>> = {
  'power-on': { after: 'was powered on', before: 'asks for an address', usualSeconds: 300 },
  address: { after: 'was offered an address', before: 'accepts it', usualSeconds: 12 },
  loader: { after: 'got its address', before: 'loads a boot file', usualSeconds: 20 },
  script: { after: 'loaded its boot loader', before: 'asks for its script', usualSeconds: 25 },
  kernel: { after: 'got its script', before: 'loads a kernel', usualSeconds: 20 },
  transfer: { after: 'is loading a file', before: 'gets more of it', usualSeconds: 20 },
  system: { after: 'loaded its operating system', before: 'is heard of again', usualSeconds: 30 },
  agent: { after: 'started the in-memory OS', before: 'asks for an action', usualSeconds: 25 },
};

const SYSTEM = 'an operating system';

type After = (record: StagedRecord, before: readonly StagedRecord[]) => StepName | undefined;

const whileLoading: After = ({ stage }) => (stage === 'workflow actions' ? undefined : 'transfer');
const onceLoaded: After = ({ stage }) => (stage === 'workflow actions' ? undefined : 'system');
const onceStarted: After = (_, before) => (isNetbooted(before) ? 'agent' : undefined);

const afterEvent: Readonly<Record<string, After>> = {
  'offer-sent': afterOffer,
  'advertise-sent': afterOffer,
  'acknowledge-sent': afterAddress,
  'reply-sent': afterAddress,
  'file-sent': (record) => (isSystemFile(record) ? 'system' : 'script'),
  'file-moved': () => 'transfer',
  'binary-sent': () => 'script',
  'script-served': ({ details }) => (details?.['outcome'] === 'local-boot' ? undefined : 'kernel'),
  'transfer-started': whileLoading,
  'transfer-moved': whileLoading,
  'iso-started': whileLoading,
  'iso-progressed': whileLoading,
  'transfer-completed': onceLoaded,
  'iso-sent': onceLoaded,
  'iso-ended': onceLoaded,
  'message-received': onceStarted,
  'metadata-served': onceStarted,
};

/** A boot loader without scripts, such as PXELINUX, loads the operating system as it loads its own files. */
const SYSTEM_FILE = /(^|\/)(vmlinuz|initramfs|initrd)[^/]*$/i;

export function isSystemFile({ details }: StagedRecord): boolean {
  return SYSTEM_FILE.test(String(details?.['file'] ?? ''));
}

/**
 * Returns the step that a machine is in after a record of progress. Returns undefined where silence means nothing: actions have
 * deadlines of their own, and an installed machine may be silent for years.
 */
export function stepAfter(record: StagedRecord, before: readonly StagedRecord[]): StepName | undefined {
  return afterEvent[record.event]?.(record, before);
}

/** A DHCP proxy offers no address, and nothing accepts its offer. */
function afterOffer(record: StagedRecord, before: readonly StagedRecord[]): StepName | undefined {
  if (isOfSystem(record)) return afterAddress(record, before);
  return record.details?.['address'] === '0.0.0.0' ? afterAddress(record, before) : 'address';
}

function afterAddress(record: StagedRecord, before: readonly StagedRecord[]): StepName | undefined {
  if (isOfSystem(record)) return isNetbooted(before) ? 'agent' : undefined;
  const file = String(record.details?.['file'] ?? '');
  if (file.endsWith('/netboot-not-allowed')) return undefined;
  return file.endsWith('/auto.ipxe') ? 'script' : 'loader';
}

export function isOfSystem({ source, details }: StagedRecord): boolean {
  return source === 'dhcp' && details?.['client'] === SYSTEM;
}

/** True if the operating system that runs came over the network, and not from the disk. */
export function isNetbooted(boot: readonly StagedRecord[]): boolean {
  const script = boot.findLast(({ event }) => event === 'script-served');
  if (script !== undefined) return script.details?.['outcome'] !== 'local-boot';
  return boot.some(({ event }) => event.startsWith('transfer-') || event.startsWith('iso-'));
}
