/** The system that a connection controls. Most BMCs have one. */
import { computerSystemOf, type ComputerSystem, type ServiceRoot } from '@tinkerbell/redfish';
import { BmcError } from '../bmc-error.ts';
import type { RedfishConnection } from './redfish-connection.ts';

/** More than the nodes of any chassis that one BMC manages. */
const SYSTEMS_MAX = 64;

export interface FoundSystem {
  readonly path: string;
  readonly system: ComputerSystem;
}

/** `name` is its Id, its Name, or the end of its path. Rejects with `unsupported` when it is unknown or ambiguous. */
export async function findSystem(
  connection: RedfishConnection,
  { systems }: ServiceRoot,
  name: string | undefined,
): Promise<FoundSystem> {
  if (systems === undefined) throw new BmcError('unsupported', 'the Redfish service has no Systems');
  const paths = (await connection.memberPaths(systems)).slice(0, SYSTEMS_MAX);
  const found: FoundSystem[] = [];
  for (const path of paths)
    found.push({ path, system: computerSystemOf((await connection.get(path)).fields) });
  return theOne(found, name);
}

function theOne(found: readonly FoundSystem[], name: string | undefined): FoundSystem {
  // Accelerator boards are systems without a power of their own.
  const controllable = found.filter(({ system }) => system.reset !== undefined);
  const candidates =
    name === undefined && controllable.length > 0 ? controllable : found.filter((one) => hasName(one, name));
  const [first, second] = candidates;
  const names = found.map(({ path }) => lastOf(path)).join(', ');
  if (first === undefined) {
    const what = name === undefined ? 'no system' : `no system ${JSON.stringify(name)}`;
    throw new BmcError('unsupported', `the BMC has ${what}; it has: ${names === '' ? 'nothing' : names}`);
  }
  if (second === undefined) return first;
  const advice = 'set spec.connection.providerOptions.redfish.systemName';
  throw new BmcError('unsupported', `the BMC has more than one system: ${names}; ${advice}`);
}

function hasName({ path, system }: FoundSystem, name: string | undefined): boolean {
  return name === undefined || [system.id, system.name, lastOf(path)].includes(name);
}

function lastOf(path: string): string {
  return path.split('/').findLast((part) => part !== '') ?? path;
}
