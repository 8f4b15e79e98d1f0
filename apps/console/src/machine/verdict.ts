/**
 * How far a boot got, why it stopped, and what to do next. `tink boot` has the complete rules; this file is the only place of the
 * console that decides about boots.
 */
import type { JournalRecord } from '@tinkerbell/store-contract/journal';

export interface BootVerdict {
  readonly state: 'done' | 'stopped' | 'underway';
  readonly text: string;
  readonly next?: string | undefined;
}

export type Boot = readonly JournalRecord[];

/** Pause that separates boots, as in `tink boot`. */
const PAUSE_MS = 150_000;

/** Returns the boots in order. A boot starts with a first request after a pause, or after a workflow has ended. */
export function bootsIn(records: readonly JournalRecord[]): readonly Boot[] {
  const boots: JournalRecord[][] = [];
  let hasEnded = false;
  for (const record of records) {
    const last = boots.at(-1)?.at(-1);
    const isRequest = ['dhcp', 'tftp', 'http', 'image'].includes(record.source);
    const isPause = last === undefined || record.atMs - last.atMs >= PAUSE_MS;
    if (isRequest && (isPause || (hasEnded && record.event === 'offer-sent'))) {
      boots.push([]);
      hasEnded = false;
    }
    boots.at(-1)?.push(record);
    hasEnded ||=
      record.event === 'state-changed' && /SUCCESS|FAILED|TIMEOUT/.test(String(record.details?.['to']));
  }
  return boots;
}

export const troubles: Readonly<Record<string, string>> = {
  'machine-unknown': 'register it: New machine',
  'request-ignored': 'the reason is in the record; correct the Hardware',
  'refusal-sent': 'wait for its next request; if it fails again, compare its address with its Hardware',
  'address-in-use': 'wait; the machine gets another address of the pool',
  'address-declined': 'find the host that has the address, or change the address in the Hardware',
  'file-not-found': 'put the file into --tftp-asset-dir, or correct netboot.ipxe.binary of the Hardware',
  'file-refused': 'correct the field in the message',
  'file-missing': 'put the file into the folder of --images-dir or --hook-dir',
  'transfer-failed': 'check the cable, the switch port and the MTU',
  'transfer-broken-off': 'check the console: it ran out of memory, was reset, or lost its link',
  'script-refused': 'correct the Hardware or its workflow',
  'metadata-refused': 'compare its source address with the address in its Hardware',
  'rendering-failed': 'correct the Template',
  'action-failed': 'read the output of the action, then retry the workflow',
  'action-timed-out': 'raise the timeout of the action in its Template, or find out what it waits for',
  'agent-silent': 'check its console and its network',
  'bmc-job-failed': 'check the BMC: address, password and certificate',
};

const asides = /^(?:operator-|console-|bmc-|server-|started|state-changed|messages-dropped)/;

/** Returns the result of the first rule that applies. */
export function verdictOn(boot: Boot): BootVerdict {
  return ended(boot) ?? trouble(boot) ?? ready(boot) ?? farthest(boot);
}

function ended(boot: Boot): BootVerdict | undefined {
  const changed = boot.findLast(({ event }) => event === 'state-changed');
  const to = changed?.details?.['to'];
  if (to === 'SUCCESS') return { state: 'done', text: `the workflow ${changed?.workflow} succeeded` };
  if (to !== 'FAILED' && to !== 'TIMEOUT') return undefined;
  const cause =
    boot.findLast(({ event }) => event === 'action-failed' || event === 'action-timed-out') ?? changed;
  return {
    state: 'stopped',
    text: `the workflow ${changed?.workflow} ended as ${to}: ${cause?.message}`,
    next: 'open the workflow, read the output of the action, and retry it',
  };
}

/** A problem counts until the boot makes progress after it. */
function trouble(boot: Boot): BootVerdict | undefined {
  const at = boot.findLastIndex(({ event }) => Object.hasOwn(troubles, event));
  const record = boot[at];
  if (record === undefined) return undefined;
  if (boot.slice(at + 1).some(({ event }) => !asides.test(event))) return undefined;
  return { state: 'stopped', text: `it stopped: ${record.message}`, next: troubles[record.event] };
}

function ready(boot: Boot): BootVerdict | undefined {
  if (boot.some(({ event }) => event === 'machine-ready'))
    return { state: 'done', text: 'its installed operating system has reported that it is ready' };
  const script = boot.findLast(({ event }) => event === 'script-served');
  return script?.details?.['outcome'] === 'local-boot'
    ? { state: 'done', text: 'it was sent to its local disk, because it has no work or may not netboot' }
    : undefined;
}

/** What the server saw last, and what it expects next. */
const waiting: readonly (readonly [events: RegExp, text: string, next: string])[] = [
  [/^action-/, 'its workflow is running', 'wait, or open the workflow'],
  [
    /^(?:message-received|metadata-served)$/,
    'its in-memory OS runs',
    'check that a workflow names this machine',
  ],
  [/^(?:transfer-completed|iso-sent)$/, 'it has loaded its operating system', 'wait, or check its console'],
  [
    /^(?:transfer-|iso-)/,
    'it is loading its operating system',
    'wait; a low rate means a slow or lossy link',
  ],
  [/^script-served$/, 'it has its script', 'check that it reaches the URL in the script'],
  [/^(?:file-sent|binary-sent)$/, 'it has its boot loader', 'check that it reaches HTTP on TCP 7080'],
  [/^(?:acknowledge-sent|reply-sent)$/, 'it has its address', 'check that no firewall blocks TFTP on UDP 69'],
  [
    /^(?:offer-sent|advertise-sent)$/,
    'it got an offer',
    'run tink preflight: another server may answer, too',
  ],
];

function farthest(boot: Boot): BootVerdict {
  for (const [events, text, next] of waiting)
    if (boot.some(({ event }) => events.test(event))) return { state: 'underway', text, next };
  return {
    state: 'underway',
    text: 'the server has seen nothing of a boot',
    next: 'power it on with network boot first in its boot order',
  };
}
