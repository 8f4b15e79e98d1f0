/** Causes that end an action. The message of the action decides. */
import type { StagedRecord } from '../boot/boot-records.ts';
import type { Cause } from './cause.ts';
import { evidenceOf, type Found } from './cause.ts';
import type { Facts } from '../facts.ts';

const FAILURES: readonly string[] = ['action-failed', 'action-timed-out'];

/** After one of these, the workflow continues. */
const OVERCOME = /^(action-(served|started|succeeded|retried)|operator-(retry|skip))/;

const isAction = ({ event }: StagedRecord): boolean => FAILURES.includes(event);
const isEnd = ({ event, details }: StagedRecord): boolean =>
  event === 'state-changed' && ['FAILED', 'TIMEOUT'].includes(String(details?.['to']));

/** The action that ended the workflow, else the end itself. A retry, or the operator, may have overcome it. */
function failureOf({ boot }: Facts): StagedRecord | undefined {
  const action = openAt(boot, isAction);
  if (action !== undefined) return action;
  const isCancelled = boot.some(({ event }) => event === 'operator-cancel');
  return isCancelled ? undefined : openAt(boot, isEnd);
}

function openAt(boot: Facts['boot'], isIt: (record: StagedRecord) => boolean): StagedRecord | undefined {
  const at = boot.findLastIndex(isIt);
  return boot.slice(at + 1).some(({ event }) => OVERCOME.test(event)) ? undefined : boot[at];
}

const failedWith =
  (pattern: RegExp): Cause['find'] =>
  (facts): Found | undefined => {
    const failure = failureOf(facts);
    if (failure === undefined || !pattern.test(failure.message)) return undefined;
    return { evidence: evidenceOf([failure]), sinceMs: failure.atMs };
  };

const RETRY = 'Then continue at the action: tink workflow retry WORKFLOW.';

export const actionCauses: readonly Cause[] = [
  {
    id: 'disk-absent',
    sentence: 'The machine has no disk of the name that the action uses.',
    shows:
      'An action failed because its device does not exist. The evidence lists the disks that the machine has.',
    against: 'The device exists: then the message names another reason.',
    advice: [
      'Correct the device in the Template, or in spec.disks of the Hardware. A name under /dev/disk/by-id does not depend on the order of the disks.',
      'If the machine has no disk at all, check the controller in its firmware, and its driver in the in-memory OS.',
      RETRY,
    ],
    certainty: 'certain',
    find: failedWith(
      /is not a block device|this machine has no disk|cannot open (DEST_DISK=)?\/dev\/.*(ENOENT|no such|does not exist)/i,
    ),
  },
  {
    id: 'disk-too-small',
    sentence: 'The disk is too small for the image.',
    shows: 'An action failed because the image is larger than the disk, or no space was left on it.',
    against: 'The image fits.',
    advice: ['Choose a larger disk in DEST_DISK, or a smaller image.', RETRY],
    certainty: 'certain',
    find: failedWith(/larger than \/dev|too small|no space left|ENOSPC/i),
  },
  {
    id: 'image-not-found',
    sentence: 'The image that the action loads does not exist.',
    shows:
      'An action failed because the server of the image answered 404, or the registry does not know the image.',
    against: 'The URL of the message answers.',
    advice: [
      'Open the URL of the evidence, and correct it in the Template.',
      'Files of this server are in --images-dir; the path begins with /images/.',
      RETRY,
    ],
    certainty: 'certain',
    find: failedWith(/answered 404|\b404\b|manifest unknown|name unknown|not found.*(registry|image)/i),
  },
  {
    id: 'image-checksum-wrong',
    sentence: 'The image has another checksum than the action expects.',
    shows:
      'An action failed because the SHA-256 or SHA-512 of what it loaded differs from the configured one.',
    against: 'The checksum of the file on the server is the configured one.',
    advice: [
      'Compare the checksum of the file on the server with the one in the Template: sha256sum FILE.',
      'If they are the same, a proxy or the network damages the file.',
      RETRY,
    ],
    certainty: 'certain',
    find: failedWith(
      /_CHECKSUM says|SHA-(256|512) (is|of)|checksum (differs|mismatch|is wrong)|digest .*mismatch/i,
    ),
  },
  {
    id: 'image-unreachable',
    sentence: 'The machine cannot load the image.',
    shows: 'An action failed because the server of the image did not answer, or ended the transfer.',
    against: 'The machine loads other files from the same server.',
    advice: [
      'Check from the network of the machine that the URL of the evidence answers.',
      'Check the name servers of the machine, if the URL has a host name.',
      RETRY,
    ],
    certainty: 'certain',
    find: failedWith(
      /gave up at byte|ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ETIMEDOUT|answered 5\d\d|answered 40[13]/i,
    ),
  },
  {
    id: 'action-timed-out',
    sentence: 'An action did not end within its timeout.',
    shows: 'The workflow ended because an action, or all of it, took too long.',
    against: 'The action ended with an error of its own.',
    advice: ['Find out what it waited for: tink logs WORKFLOW.', 'Raise its timeout in the Template.', RETRY],
    certainty: 'certain',
    find: (facts) => {
      const failure = failureOf(facts);
      return failure?.event === 'action-timed-out' || failure?.details?.['to'] === 'TIMEOUT'
        ? { evidence: evidenceOf([failure]), sinceMs: failure.atMs }
        : undefined;
    },
  },
  {
    id: 'action-failed',
    sentence: 'An action failed.',
    shows:
      'The workflow ended because an action failed, for a reason that no other cause of this page covers.',
    against: 'An operator cancelled the workflow.',
    advice: ['Read its output: tink logs WORKFLOW.', RETRY],
    certainty: 'certain',
    find: failedWith(/^/),
  },
];
