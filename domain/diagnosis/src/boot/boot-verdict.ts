/** Decides how far a boot got, why it stopped, and what to do next. The result is the top of the page. */
import type { TimelineRecord } from '../timeline-record.ts';
import type { StagedRecord } from './boot-records.ts';
import { meaningOf } from './event-table.ts';
import { adviceOn } from './reason-advice.ts';

export interface BootVerdict {
  readonly state: 'done' | 'stopped' | 'underway';
  readonly text: string;
  readonly next: string | undefined;
}

type Boot = readonly StagedRecord[];

/** Returns the result of the first rule that applies. */
export function verdictOn(boot: Boot): BootVerdict {
  return finishedWorkflow(boot) ?? lastTrouble(boot) ?? ready(boot) ?? localBoot(boot) ?? farthest(boot);
}

const verdict = (state: BootVerdict['state'], text: string, next?: string): BootVerdict => ({
  state,
  text,
  next,
});

function lastOf(boot: Boot, event: string): StagedRecord | undefined {
  return boot.findLast((record) => record.event === event);
}

function finishedWorkflow(boot: Boot): BootVerdict | undefined {
  const changed = lastOf(boot, 'state-changed');
  if (changed === undefined) return undefined;
  const { details, workflow = 'default/its-workflow' } = changed;
  const to = details?.['to'];
  if (to === 'SUCCESS') return verdict('done', `the workflow ${workflow} succeeded`);
  if (to !== 'FAILED' && to !== 'TIMEOUT') return undefined;
  const cancelled = to === 'FAILED' ? lastOf(boot, 'operator-cancel') : undefined;
  const { message } = boot.findLast(({ event }) => FAILURES.includes(event)) ?? changed;
  const bare = workflow.slice(workflow.indexOf('/') + 1);
  if (cancelled !== undefined)
    return verdict(
      'stopped',
      `the workflow ${workflow} was cancelled: ${cancelled.message}`,
      `resume it from the action that stopped: tink workflow retry ${bare}`,
    );
  return verdict(
    'stopped',
    `the workflow ${workflow} ended as ${to}: ${message}`,
    `run tink describe workflow ${bare} for details; then retry it: tink workflow retry ${bare}`,
  );
}

const FAILURES: readonly string[] = ['action-failed', 'action-timed-out'];

/** A problem counts until the boot makes progress after it. */
function lastTrouble(boot: Boot): BootVerdict | undefined {
  const at = boot.findLastIndex((record) => isTrouble(record));
  const trouble = boot[at];
  if (trouble === undefined) return undefined;
  const goesOn = boot.slice(at + 1).some(({ event }) => meaningOf(event).kind === 'progress');
  if (goesOn) return undefined;
  const advice = adviceOn(trouble.details?.['reason'] ?? trouble.details?.['outcome']);
  const next = advice?.next ?? nextByEvent[trouble.event];
  return verdict('stopped', `it stopped in ${stageName(trouble)}: ${trouble.message}`, next);
}

function isTrouble({ event, details }: TimelineRecord): boolean {
  if (meaningOf(event).kind !== 'trouble') return false;
  const advice = adviceOn(details?.['reason']);
  return advice === undefined || advice.next !== undefined;
}

function stageName({ stage }: StagedRecord): string {
  return stage === 'script' ? 'waiting for its script' : `the stage “${stage}”`;
}

const nextByEvent: Readonly<Record<string, string>> = {
  'refusal-sent': 'wait for its next request; if it fails again, compare its address with its Hardware',
  'address-declined': 'find the host that has the address, or change the address in the Hardware',
  'address-in-use': 'wait; the machine gets another address of the pool',
  'file-not-found': 'put the file into --tftp-asset-dir, or correct netboot.ipxe.binary of the Hardware',
  'file-refused': 'correct the field in the message with tink apply',
  'file-missing':
    'put the file into the folder of --images-dir or --hook-dir; npm run hook builds the in-memory OS',
  'transfer-failed':
    'check the cable, the switch port and the MTU; tink preflight shows the MTU of the server',
  'transfer-broken-off': 'check the machine’s console: it ran out of memory, was reset, or lost its link',
  'metadata-refused': 'compare its source address with the address in its Hardware',
  'action-failed': 'run tink events --machine NAME for the output of the action',
  'action-timed-out': 'raise the timeout of the action in its Template, or find out what it waits for',
  'rendering-failed': 'correct the Template; tink workflow create --dry-run renders it',
};

function ready(boot: Boot): BootVerdict | undefined {
  return lastOf(boot, 'machine-ready') === undefined
    ? undefined
    : verdict('done', 'its installed operating system is running and has reported that it is ready');
}

function localBoot(boot: Boot): BootVerdict | undefined {
  const outcome = lastOf(boot, 'script-served')?.details?.['outcome'];
  if (outcome !== 'local-boot') return undefined;
  return verdict(
    'done',
    'it was sent to its local disk: it has no workflow, or its Hardware does not allow netboot',
    'to install it again, run tink workflow retry NAME --from start, with netboot.allowPXE true in its Hardware',
  );
}

/** The boot has no problem that the server could see. Returns what the server expects next. */
function farthest(boot: Boot): BootVerdict {
  const has = (...events: readonly string[]): boolean => boot.some(({ event }) => events.includes(event));
  const row = waiting.find(({ after }) => has(...after));
  return row === undefined
    ? verdict(
        'underway',
        'the server has seen nothing of a boot',
        'power the machine on with network boot first in its boot order',
      )
    : verdict('underway', row.text, row.next);
}

const LOADERS = ['file-sent', 'binary-sent'];

const waiting: readonly {
  readonly after: readonly string[];
  readonly text: string;
  readonly next: string;
}[] = [
  {
    after: [
      'action-succeeded',
      'action-progressed',
      'action-started',
      'action-served',
      'action-served-again',
    ],
    text: 'its workflow is running',
    next: 'wait, or watch it: tink boot MACHINE -w',
  },
  {
    after: ['message-received', 'metadata-served'],
    text: 'its in-memory OS is running, but its agent has not requested an action',
    next: 'check that a workflow names this machine (tink get workflows) and that it can reach gRPC on TCP 42113',
  },
  {
    after: ['transfer-completed', 'iso-sent'],
    text: 'it loaded its operating system, but has not contacted the server since',
    next: 'check its console: the kernel may lack the driver of its network card, or memory',
  },
  {
    after: ['transfer-started', 'transfer-moved', 'iso-started', 'iso-progressed'],
    text: 'it is loading its operating system',
    next: 'wait; a low rate means a slow or lossy link',
  },
  {
    after: ['script-served'],
    text: 'it got its script, but has not requested a kernel',
    next: 'check that it can reach the URL in the script; iPXE prints its error on the console',
  },
  {
    after: LOADERS,
    text: 'it loaded its boot loader, but has not requested a script',
    next: 'check that it can reach HTTP on TCP 7080; iPXE prints its error on the console',
  },
  {
    after: ['acknowledge-sent', 'reply-sent'],
    text: 'it got its address, but has not loaded a file',
    next: 'check that no firewall blocks TFTP on UDP 69 (or HTTP for UEFI HTTP boot)',
  },
  {
    after: ['offer-sent', 'advertise-sent'],
    text: 'it got an offer, but has not accepted it',
    next: 'run tink preflight: another server or a relay may lose our replies',
  },
];
