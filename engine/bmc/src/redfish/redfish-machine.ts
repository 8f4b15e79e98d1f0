/** What the operations of a session share: the connection, the system, and how its vendor differs. */
import type { RedfishVendor } from '@tinkerbell/bmc';
import { computerSystemOf, type ComputerSystem, type ServiceRoot } from '@tinkerbell/redfish';
import type { RedfishConnection } from './redfish-connection.ts';
import type { Resource, Send } from './redfish-exchange.ts';

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
 * Changes a resource that was just read. When the service asks for the current ETag, reads it and tries once more. A weak ETag is
 * then sent as a strong one, because If-Match compares strongly (RFC 9110, section 13.1.1), and services send weak ones nevertheless.
 */
export async function patch(
  { connection, vendor }: RedfishMachine,
  { path, etag }: Resource,
  body: object,
): Promise<void> {
  const send: Send = { method: 'PATCH', path, body };
  const first = vendor.ifMatch === 'always' ? withMatch(send, etag) : send;
  const reply = await connection.exchange(first);
  if (reply.status < 300) return await connection.settle(reply);
  if (reply.status !== PRECONDITION_FAILED && reply.status !== PRECONDITION_REQUIRED)
    throw connection.refusal(first, reply);
  const fresh = (await connection.get(path)).etag;
  const isSame = first.ifMatch !== undefined && first.ifMatch === fresh;
  await connection.change(withMatch(send, isSame ? fresh?.replace(WEAK, '') : fresh));
}

function withMatch(send: Send, etag: string | undefined): Send {
  return etag === undefined ? send : { ...send, ifMatch: etag };
}
