/**
 * `GET …/hardware/<name>/diagnosis`: whether the last boot of the machine was successful, else why not and what to do. `POST` to the same path
 * performs active checks, from the server (default, `?from=server`) or from the agent of a neighbour (`?from=agent:NAME`).
 */
import { shownVerdict, type Check, type ShownVerdict, type Verdicts } from '@tinkerbell/diagnosis';
import { hardwareKind, isOfKind, type Hardware, type Resource } from '@tinkerbell/resources';
import { ApiError, tooMany } from './api-error.ts';
import { json } from './api-response.ts';

export interface DiagnosisDeps {
  /** If undefined, the doctor is disabled. */
  readonly verdicts?: Pick<Verdicts, 'get'>;
  /** If absent, the doctor is disabled. */
  readonly checks?: MachineChecks;
}

export interface MachineChecks {
  /** Tries what can be tried for a machine from the server, or from a neighbour. Returns undefined if too much is tried already. */
  checkNow(hardware: Hardware, neighbour?: Hardware): Promise<readonly Check[]> | undefined;
  /** Returns whether the agent of a machine can be asked. */
  hasAgent(neighbour: Hardware): boolean;
  /** Returns the names of machines in its network whose agents can be asked. */
  neighboursOf(hardware: Hardware): readonly string[];
}

/** Throws an ApiError if there is no verdict: the doctor is disabled, or reads the journal after a start. */
export function diagnosisAnswer(
  { verdicts, checks }: DiagnosisDeps,
  resource: Resource,
  { hasNeighbours }: { readonly hasNeighbours: boolean },
): Response {
  const { namespace, name } = resource.metadata;
  const current = verdicts?.get(`${namespace}/${name}`);
  const verdict = current === undefined ? reportedVerdict(resource) : shownVerdict(current);
  const isListed = hasNeighbours && isOfKind(resource, hardwareKind);
  const neighbours = isListed ? { neighbours: checks?.neighboursOf(resource) ?? [] } : {};
  if (verdict !== undefined) return json({ namespace, machine: name, ...verdict, ...neighbours });
  throw new ApiError(
    'NotFound',
    `${namespace}/${name} has no diagnosis yet; the doctor starts with --enable-doctor, and reads the journal first`,
  );
}

/** A BMC that does not answer takes this long. */
const RETRY_SECONDS = 5;

/** Returns the name of the machine from which checks are asked for, or undefined for the server. Throws an ApiError for anything else. */
export function neighbourIn(from: string): string | undefined {
  if (from === 'server') return undefined;
  const [, name] = /^agent:(.+)$/.exec(from) ?? [];
  if (name !== undefined) return name;
  const shown = JSON.stringify(from.slice(0, 100));
  throw new ApiError(
    'BadRequest',
    `from must be "server", or "agent:NAME" with the name of a Hardware, not ${shown}`,
  );
}

/** Throws an ApiError if the doctor is disabled, if the neighbour has no agent, or if too many machines are being checked. */
export async function checksAnswer(
  { checks }: DiagnosisDeps,
  resource: Resource,
  neighbour?: Resource,
): Promise<Response> {
  const { namespace, name } = resource.metadata;
  if (checks === undefined || !isOfKind(resource, hardwareKind))
    throw new ApiError('NotFound', 'the server has no active checks; start it with --enable-doctor');
  const running = checks.checkNow(resource, withAgent(checks, neighbour));
  if (running === undefined) throw tooMany('too many machines are being checked; try again', RETRY_SECONDS);
  return json({ namespace, machine: name, checks: await running });
}

function withAgent(checks: MachineChecks, neighbour: Resource | undefined): Hardware | undefined {
  if (neighbour === undefined || !isOfKind(neighbour, hardwareKind)) return undefined;
  if (checks.hasAgent(neighbour)) return neighbour;
  const { name } = neighbour.metadata;
  throw new ApiError(
    'Conflict',
    `no agent of ${name} is connected to this server; it is while ${name} runs the in-memory OS`,
  );
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
