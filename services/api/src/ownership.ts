/** A namespace is a boundary: nobody takes the MAC, the address or the agent of another machine, nor runs a Workflow on it. */
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

/** Claims that a Hardware makes anew and that another one has made before. */
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
  // A MAC is an agent's name too, and an agent id may be one.
  return kind === 'address' ? view.hardwareByIp(value)[0] : machineOfAgent(view, value);
}

function isSame({ metadata: one }: Hardware, { metadata: other }: Hardware): boolean {
  return one.namespace === other.namespace && one.name === other.name;
}

/** Names in other namespaces are not for everybody. */
function takenBy({ kind, value }: Claim, { metadata }: Hardware, namespace: string): string {
  const owner =
    metadata.namespace === namespace ? `Hardware ${metadata.name}` : 'a Hardware of another namespace';
  return `the ${NAMES[kind]} ${value} belongs to ${owner}; remove it there first`;
}

/** Machines of other namespaces that a Workflow names and may not use. */
export function reachProblems(view: View, workflow: Workflow): readonly Problem[] {
  return Object.entries(workflow.spec?.hardwareMap ?? {}).flatMap(([key, value]) => {
    const machine = machineOfAgent(view, value);
    if (machine === undefined || mayRunOn(workflow, machine)) return [];
    const path = ['spec', 'hardwareMap', key];
    return [{ reason: 'invalid', path, value, message: `is a machine of another namespace; ${WAY_OUT}` }];
  });
}

const WAY_OUT = `who may "use" it names it in the annotation ${USE_HARDWARE}: NAMESPACE/NAME`;
