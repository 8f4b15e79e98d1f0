/**
 * `GET …/hardware/<name>/diagnosis`: whether the last boot of the machine was successful, else why not and what to do. `POST` to the same path
 * performs the active checks of the server.
 */
import { shownVerdict, type Check, type ShownVerdict, type Verdicts } from '@tinkerbell/diagnosis';
import { hardwareKind, isOfKind, type Hardware, type Resource } from '@tinkerbell/resources';
import { ApiError, tooMany } from './api-error.ts';
import { json } from './api-response.ts';

export interface DiagnosisDeps {
  /** If undefined, the doctor is disabled. */
  readonly verdicts?: Pick<Verdicts, 'get'>;
  /** Tries what the server can try for a machine. Returns undefined if it tries too much already. If absent, the doctor is disabled. */
  readonly checkNow?: (hardware: Hardware) => Promise<readonly Check[]> | undefined;
}

/** Throws an ApiError if there is no verdict: the doctor is disabled, or reads the journal after a start. */
export function diagnosisAnswer({ verdicts }: DiagnosisDeps, resource: Resource): Response {
  const { namespace, name } = resource.metadata;
  const current = verdicts?.get(`${namespace}/${name}`);
  const verdict = current === undefined ? reportedVerdict(resource) : shownVerdict(current);
  if (verdict !== undefined) return json({ namespace, machine: name, ...verdict });
  throw new ApiError(
    'NotFound',
    `${namespace}/${name} has no diagnosis yet; the doctor starts with --enable-doctor, and reads the journal first`,
  );
}

/** A BMC that does not answer takes this long. */
const RETRY_SECONDS = 5;

/** Throws an ApiError if the doctor is disabled, or if too many machines are being checked. */
export async function checksAnswer({ checkNow }: DiagnosisDeps, resource: Resource): Promise<Response> {
  const { namespace, name } = resource.metadata;
  if (checkNow === undefined || !isOfKind(resource, hardwareKind))
    throw new ApiError('NotFound', 'the server has no active checks; start it with --enable-doctor');
  const running = checkNow(resource);
  if (running === undefined) throw tooMany('too many machines are being checked; try again', RETRY_SECONDS);
  return json({ namespace, machine: name, checks: await running });
}

/** Another server, or an earlier run, has written it. */
function reportedVerdict(resource: Resource): ShownVerdict | undefined {
  if (!isOfKind(resource, hardwareKind)) return undefined;
  const condition = conditionOf(resource);
  if (condition === undefined) return undefined;
  const { status, reason = '', message = '', lastTransitionTime: since } = condition;
  const plain = { text: message, evidence: [], advice: [], ...(since === undefined ? {} : { since }) };
  if (status !== 'False') return { ...plain, state: 'healthy' };
  return { ...plain, state: 'stopped', cause: causeOf(reason) };
}

function conditionOf({ status }: Hardware) {
  return status?.conditions?.find(({ type }) => type === 'BootHealthy');
}

/** `TftpBlocked` -> `tftp-blocked` */
function causeOf(reason: string): string {
  return reason.replaceAll(/[A-Z]/g, (letter, at: number) => `${at === 0 ? '' : '-'}${letter.toLowerCase()}`);
}
