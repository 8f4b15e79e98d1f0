/**
 * `GET …/hardware/<name>/diagnosis`: whether the last boot of the machine was successful, else why not and what to do. `POST` to the same path
 * performs active checks, from the server (default, `?from=server`), from the agent of a neighbour (`?from=agent:NAME`), or from a relay
 * (`?from=relay:NAME`).
 */
import { shownVerdict, type Check, type ShownVerdict, type Verdicts } from '@tinkerbell/diagnosis';
import { hardwareKind, isOfKind, type Hardware, type Resource } from '@tinkerbell/resources';
import { ApiError, tooMany } from './api-error.ts';
import { json } from './api-response.ts';
import type { RelayDesk } from './relay-trials.ts';

export interface DiagnosisDeps {
  /** If undefined, the doctor is disabled. */
  readonly verdicts?: Pick<Verdicts, 'get'>;
  /** If absent, the doctor is disabled. */
  readonly checks?: MachineChecks;
}

export interface MachineChecks {
  /** Tries what can be tried for a machine from the server, or from elsewhere. Returns undefined if too much is tried already. */
  checkNow(hardware: Hardware, from?: CheckedFrom): Promise<readonly Check[]> | undefined;
  /** Returns whether the agent of a machine can be asked. */
  hasAgent(neighbour: Hardware): boolean;
  /** Returns the names of machines in its network whose agents can be asked. */
  neighboursOf(hardware: Hardware): readonly string[];
  /** Returns the names of connected relays of its network. */
  relaysOf(hardware: Hardware): readonly string[];
  readonly relays: RelayDesk;
}

export type CheckedFrom = { readonly neighbour: Hardware } | { readonly relay: string };

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
  const neighbours = isListed
    ? { neighbours: checks?.neighboursOf(resource) ?? [], relays: checks?.relaysOf(resource) ?? [] }
    : {};
  if (verdict !== undefined) return json({ namespace, machine: name, ...verdict, ...neighbours });
  throw new ApiError(
    'NotFound',
    `${namespace}/${name} has no diagnosis yet; the doctor starts with --enable-doctor, and reads the journal first`,
  );
}

/** A BMC that does not answer takes this long. */
const RETRY_SECONDS = 5;

export type AskedPlace =
  | { readonly kind: 'server' }
  | { readonly kind: 'agent' | 'relay'; readonly name: string };

/** Returns from where checks are asked for. Throws an ApiError for any other text. */
export function placeIn(from: string): AskedPlace {
  if (from === 'server') return { kind: 'server' };
  const [, kind, name] = /^(agent|relay):(.+)$/.exec(from) ?? [];
  if (name !== undefined) return { kind: kind === 'relay' ? kind : 'agent', name };
  const shown = JSON.stringify(from.slice(0, 100));
  throw new ApiError(
    'BadRequest',
    `from must be "server", "agent:NAME" with the name of a Hardware, or "relay:NAME" with the account of a relay, not ${shown}`,
  );
}

/** Throws an ApiError if the doctor is disabled, if nobody is connected there, or if too many machines are being checked. */
export async function checksAnswer(
  { checks }: DiagnosisDeps,
  resource: Resource,
  from?: { readonly neighbour: Resource } | { readonly relay: string },
): Promise<Response> {
  const { namespace, name } = resource.metadata;
  if (checks === undefined || !isOfKind(resource, hardwareKind))
    throw new ApiError('NotFound', 'the server has no active checks; start it with --enable-doctor');
  const running = checks.checkNow(resource, connected(checks, from));
  if (running === undefined) throw tooMany('too many machines are being checked; try again', RETRY_SECONDS);
  return json({ namespace, machine: name, checks: await running });
}

function connected(
  checks: MachineChecks,
  from: { readonly neighbour: Resource } | { readonly relay: string } | undefined,
): CheckedFrom | undefined {
  if (from === undefined) return undefined;
  if ('relay' in from) {
    if (checks.relays.isConnected(from.relay)) return from;
    throw new ApiError(
      'Conflict',
      `no relay ${JSON.stringify(from.relay.slice(0, 100))} is connected to this server; start it with --relay-api-url and --relay-token-file`,
    );
  }
  const { neighbour } = from;
  if (!isOfKind(neighbour, hardwareKind)) return undefined;
  if (checks.hasAgent(neighbour)) return { neighbour };
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
