/** How far a boot got, why it stopped, and what to do: for the top of the page. */
import type { JournalRecord } from '@tinkerbell/store-contract';
import type { StagedRecord } from './boot-records.ts';
import { meaningOf } from './event-table.ts';
import { adviceOn } from './reason-advice.ts';

export interface BootVerdict {
  readonly state: 'done' | 'stopped' | 'underway';
  readonly text: string;
  readonly next: string | undefined;
}

type Boot = readonly StagedRecord[];

/** The first that knows wins. */
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
      `tink workflow retry ${bare} goes on where it stopped`,
    );
  return verdict(
    'stopped',
    `the workflow ${workflow} ended as ${to}: ${message}`,
    `see tink describe workflow ${bare}; tink workflow retry ${bare} goes on where it stopped`,
  );
}

const FAILURES: readonly string[] = ['action-failed', 'action-timed-out'];

/** A trouble counts until something goes on after it. */
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

function isTrouble({ event, details }: JournalRecord): boolean {
  if (meaningOf(event).kind !== 'trouble') return false;
  const advice = adviceOn(details?.['reason']);
  return advice === undefined || advice.next !== undefined;
}

function stageName({ stage }: StagedRecord): string {
  return stage === 'script' ? 'asking for its script' : `the stage “${stage}”`;
}

const nextByEvent: Readonly<Record<string, string>> = {
  'refusal-sent': 'wait: it asks anew; else compare its address with that of the Hardware',
  'address-declined': 'find the host that has the address, or change that of the Hardware',
  'address-in-use': 'wait: it gets another address of the pool',
  'file-not-found': 'put the file into --tftp-asset-dir, or correct netboot.ipxe.binary of the Hardware',
  'file-refused': 'correct the field that the message names, with tink apply',
  'file-missing':
    'put the file into the folder of --images-dir or --hook-dir; npm run hook builds the in-memory OS',
  'transfer-failed': 'look at cable, switch port and MTU; tink preflight reads the MTU of this end',
  'transfer-broken-off': 'look at the machine’s console: it ran out of memory, was reset, or lost its link',
  'metadata-refused': 'compare the address it asked from with that of its Hardware',
  'action-failed': 'see tink events --machine for what the action printed',
  'action-timed-out': 'raise the timeout of the action in its Template, or find out what it waits for',
  'rendering-failed': 'correct the Template; tink workflow create --dry-run renders it',
};

function ready(boot: Boot): BootVerdict | undefined {
  return lastOf(boot, 'machine-ready') === undefined
    ? undefined
    : verdict('done', 'its installed operating system runs and says that it is ready');
}

function localBoot(boot: Boot): BootVerdict | undefined {
  const outcome = lastOf(boot, 'script-served')?.details?.['outcome'];
  if (outcome !== 'local-boot') return undefined;
  return verdict(
    'done',
    'it was told to boot from its disk: no workflow waits for it, or its Hardware does not allow netboot',
    'to install it again: tink workflow retry NAME --from start, with netboot.allowPXE true in its Hardware',
  );
}

/** Nothing went wrong that the server could see: what it would have seen next. */
function farthest(boot: Boot): BootVerdict {
  const has = (...events: readonly string[]): boolean => boot.some(({ event }) => events.includes(event));
  const row = waiting.find(({ after }) => has(...after));
  return row === undefined
    ? verdict(
        'underway',
        'nothing that a boot is made of has been seen',
        'power the machine on, with network boot first',
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
    text: 'its workflow is at work',
    next: 'wait, or watch it: tink boot MACHINE -w',
  },
  {
    after: ['message-received', 'metadata-served'],
    text: 'its in-memory OS runs, and its agent has not asked for an action yet',
    next: 'if it stays so: does a workflow name this machine (tink get workflows), and does it reach gRPC on TCP 42113?',
  },
  {
    after: ['transfer-completed', 'iso-sent'],
    text: 'it loaded its system, and nothing was heard of it since',
    next: 'if it stays so, look at its console: the kernel may lack the driver of its network card, or memory',
  },
  {
    after: ['transfer-started', 'transfer-moved', 'iso-started', 'iso-progressed'],
    text: 'it is loading its system',
    next: 'wait; a slow or lost link shows in the rate',
  },
  {
    after: ['script-served'],
    text: 'it got its script, and has not asked for a kernel yet',
    next: 'if it stays so: does it reach the URL in the script? Its console shows the error of iPXE',
  },
  {
    after: LOADERS,
    text: 'it loaded its boot loader, and has not asked for a script yet',
    next: 'if it stays so: does it reach HTTP on TCP 7080? Its console shows the error of iPXE',
  },
  {
    after: ['acknowledge-sent', 'reply-sent'],
    text: 'it got its address, and has not loaded anything yet',
    next: 'if it stays so: does it reach TFTP on UDP 69 (or HTTP for UEFI HTTP boot), past firewalls?',
  },
  {
    after: ['offer-sent', 'advertise-sent'],
    text: 'it was made an offer, and has not taken it yet',
    next: 'if it stays so: run tink preflight, for another server or a relay that loses our replies',
  },
];
