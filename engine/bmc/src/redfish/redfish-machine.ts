/** What the operations of a session share: the connection, the system, and how its vendor differs. */
import type { RedfishVendor } from '@tinkerbell/bmc';
import { computerSystemOf, type ComputerSystem, type ServiceRoot } from '@tinkerbell/redfish';
import type { RedfishConnection } from './redfish-connection.ts';
import type { Reply, Resource, Send } from './redfish-exchange.ts';

export interface RedfishMachine {
  readonly connection: RedfishConnection;
  readonly root: ServiceRoot;
  readonly systemPath: string;
  readonly vendor: RedfishVendor;
}

export interface ReadSystem {
  readonly resource: Resource;
  readonly system: ComputerSystem;
}

export async function readSystem({ connection, systemPath }: RedfishMachine): Promise<ReadSystem> {
  const resource = await connection.get(systemPath);
  return { resource, system: computerSystemOf(resource.fields) };
}

const PRECONDITION_FAILED = 412;
/** RFC 6585. AMI firmware answers it to a change without If-Match. */
const PRECONDITION_REQUIRED = 428;
const WEAK = /^W\//;

/**
 * Changes a resource that was just read. When the service asks for the current ETag, reads it once and tries again: as it is, and a
 * weak one then as a strong one, because If-Match compares strongly (RFC 9110, section 13.1.1), and services send weak ones
 * nevertheless.
 */
export async function patch(
  { connection, vendor }: RedfishMachine,
  { path, etag }: Resource,
  body: object,
): Promise<void> {
  const send: Send = { method: 'PATCH', path, body };
  const first = vendor.ifMatch === 'always' ? withMatch(send, etag) : send;
  const reply = await connection.exchange(first);
  if (!wantsMatch(reply)) return await connection.finish(first, reply);
  const fresh = (await connection.get(path)).etag;
  const strong = fresh?.replace(WEAK, '');
  const second = withMatch(send, fresh);
  const next = await connection.exchange(second);
  if (!wantsMatch(next) || strong === fresh) return await connection.finish(second, next);
  await connection.change(withMatch(send, strong));
}

function wantsMatch({ status }: Reply): boolean {
  return status === PRECONDITION_FAILED || status === PRECONDITION_REQUIRED;
}

function withMatch(send: Send, etag: string | undefined): Send {
  return etag === undefined ? send : { ...send, ifMatch: etag };
}
