/** The stored data about a machine's sessions, and the Lease (coordination.k8s.io/v1) that contains it. */
import {
  apiVersionOf,
  hardwareKind,
  isRecord,
  leaseKind,
  primaryMacOf,
  type Hardware,
  type Resource,
} from '@tinkerbell/resources';
import { formatMac, parseMac } from '@tinkerbell/wire';

export interface WorkflowPlace {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** One for each machine: the session of its latest boot, and the boot tokens that were used. */
export interface AgentRecord {
  /** The session id in hexadecimal. */
  readonly sessionId: string;
  readonly agentId: string;
  /** Seconds since the Unix epoch. */
  readonly expiresSeconds: number;
  /** Absent until the session has received its first action. */
  readonly workflow?: WorkflowPlace;
  /** Nonces in hex with the time at which their tokens expire. */
  readonly nonces: Readonly<Record<string, number>>;
}

const ANNOTATION = 'tinkerbell.org/agent-session';
/** Only the first session takes a while. Later ones take over at once. */
const DURATION_SECONDS = 2_592_000;

/** `agent-02-00-5e-10-00-01`, or undefined for a machine without a MAC. */
export function recordNameOf(hardware: Hardware): string | undefined {
  const mac = parseMac(primaryMacOf(hardware) ?? '');
  return mac === undefined ? undefined : `agent-${formatMac(mac, 'dash')}`;
}

/** Returns undefined for a Lease without a session, or for one that another program has written. */
export function recordIn(lease: Resource | undefined): AgentRecord | undefined {
  const text = lease?.metadata.annotations?.[ANNOTATION];
  if (text === undefined) return undefined;
  const spec = lease?.spec;
  const sessionId = isRecord(spec) ? spec['holderIdentity'] : undefined;
  const fields = parsed(text);
  if (typeof sessionId !== 'string' || fields === undefined) return undefined;
  const { agentId, expiresSeconds, nonces, workflow } = fields;
  if (typeof agentId !== 'string' || typeof expiresSeconds !== 'number') return undefined;
  return {
    sessionId,
    agentId,
    expiresSeconds,
    nonces: noncesIn(nonces),
    ...(isRecord(workflow) ? { workflow: placeIn(workflow) } : {}),
  };
}

/** The fields that a new Lease needs besides its record. */
export interface LeaseCreation {
  readonly hardware: Hardware;
  readonly uid: string;
}

/** Returns the Lease with the record in it: `before` changed, or a new one that is deleted with its Hardware. */
export function leaseOf(
  record: AgentRecord,
  before: Resource | undefined,
  { hardware, uid, nowMs }: LeaseCreation & { readonly nowMs: number },
): Resource {
  const { sessionId, ...fields } = record;
  const time = new Date(nowMs).toISOString();
  const spec = {
    holderIdentity: sessionId,
    leaseDurationSeconds: DURATION_SECONDS,
    renewTime: time.replace('Z', '000Z'),
  };
  const annotations = { ...before?.metadata.annotations, [ANNOTATION]: JSON.stringify(fields) };
  if (before !== undefined) return { ...before, metadata: { ...before.metadata, annotations }, spec };
  const { namespace, name, uid: ownerUid } = hardware.metadata;
  const owner = { apiVersion: apiVersionOf(hardwareKind), kind: hardwareKind.kind, name };
  const metadata = {
    name: recordNameOf(hardware) ?? '',
    namespace,
    uid,
    creationTimestamp: time.replace(/\.\d+Z$/, 'Z'),
    generation: 1,
    annotations,
    ...(ownerUid === undefined ? {} : { ownerReferences: [{ ...owner, uid: ownerUid }] }),
  };
  return { apiVersion: apiVersionOf(leaseKind), kind: leaseKind.kind, metadata, spec };
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function noncesIn(value: unknown): Record<string, number> {
  const pairs = isRecord(value) ? Object.entries(value) : [];
  return Object.fromEntries(pairs.filter((pair): pair is [string, number] => typeof pair[1] === 'number'));
}

function placeIn({ namespace, name, uid }: Record<string, unknown>): WorkflowPlace {
  return { namespace: textOf(namespace), name: textOf(name), uid: textOf(uid) };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
