/**
 * Enforces namespaces as boundaries: a Hardware cannot take the MAC, address or agent of another machine, and a Workflow
 * cannot run on it.
 */
import {
  claimsOf,
  mayRunOn,
  USE_HARDWARE,
  type Claim,
  type Hardware,
  type Problem,
  type Workflow,
} from '@tinkerbell/resources';
import { machineOfAgent, type View } from '@tinkerbell/store-contract';

const NAMES = { mac: 'MAC', address: 'address', agent: 'agent id' } as const;

/** Claims that are new in a Hardware and already belong to another one. */
export function claimProblems(view: View, hardware: Hardware): readonly Problem[] {
  const { namespace, name } = hardware.metadata;
  const before = view.hardwareNamed(namespace, name);
  const known = new Set((before === undefined ? [] : claimsOf(before)).map(textOf));
  return claimsOf(hardware)
    .filter((claim) => !known.has(textOf(claim)))
    .flatMap((claim) => {
      const owner = ownerOf(view, claim);
      if (owner === undefined || isSame(owner, hardware)) return [];
      const { path, value } = claim;
      return [{ reason: 'invalid', path, value, message: takenBy(claim, owner, namespace) }];
    });
}

function textOf({ kind, value }: Claim): string {
  return `${kind} ${value}`;
}

function ownerOf(view: View, { kind, value }: Claim): Hardware | undefined {
  // A MAC is also an agent's name, and an agent id may be a MAC.
  return kind === 'address' ? view.hardwareByIp(value)[0] : machineOfAgent(view, value);
}

function isSame({ metadata: one }: Hardware, { metadata: other }: Hardware): boolean {
  return one.namespace === other.namespace && one.name === other.name;
}

/** Hides names of other namespaces. */
function takenBy({ kind, value }: Claim, { metadata }: Hardware, namespace: string): string {
  const owner =
    metadata.namespace === namespace ? `Hardware ${metadata.name}` : 'a Hardware of another namespace';
  return `the ${NAMES[kind]} ${value} already belongs to ${owner}; remove it there first`;
}

/** Returns the machines of other namespaces that a Workflow names but may not use. */
export function reachProblems(view: View, workflow: Workflow): readonly Problem[] {
  return Object.entries(workflow.spec?.hardwareMap ?? {}).flatMap(([key, value]) => {
    const machine = machineOfAgent(view, value);
    if (machine === undefined || mayRunOn(workflow, machine)) return [];
    const path = ['spec', 'hardwareMap', key];
    return [{ reason: 'invalid', path, value, message: `is a machine of another namespace; ${WAY_OUT}` }];
  });
}

const WAY_OUT = `a user who may "use" it must name it in the annotation ${USE_HARDWARE}: NAMESPACE/NAME`;
