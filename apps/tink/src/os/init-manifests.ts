/** Makes the manifests of an example for a machine that the server knows. Pure. */
import {
  agentIdOf,
  apiVersionOf,
  hardwareKind,
  ofKind,
  primaryMacOf,
  validateManifest,
  workflowKind,
  type Hardware,
  type Resource,
  type Workflow,
} from '@tinkerbell/resources';
import { stringifyYaml } from '@tinkerbell/yaml';
import { TinkFailure } from '../failure.ts';
import { withAnswers, withServer, type Answers } from './answers.ts';
import { exampleManifests } from './gen/example-manifests.ts';

export interface SystemManifests {
  readonly hardware: Hardware;
  /** Absent, as the Template, for a machine with an iPXE script of its own. */
  readonly workflow: Workflow | undefined;
  /** The text of its Template. */
  readonly template: string | undefined;
}

/** Returns undefined for an unknown system. */
export function manifestsFor(
  system: string,
  machine: Hardware,
  answers: Answers,
): SystemManifests | undefined {
  const example = exampleManifests[system];
  if (example === undefined) return undefined;
  const sample = ofKind(objectIn(example.hardware), hardwareKind);
  const answered = (text: string): Resource => objectIn(withAnswers(text, { sample, machine, answers }));
  const { template, workflow } = example;
  return {
    hardware: hardwareFor(ofKind(answered(example.hardware), hardwareKind), machine, answers),
    workflow:
      workflow === undefined
        ? undefined
        : workflowFor(ofKind(answered(workflow), workflowKind), { machine, system, answers }),
    template: template && inNamespace(withServer(template, answers), machine),
  };
}

function inNamespace(template: string, { metadata: { namespace } }: Hardware): string {
  return template.replace('namespace: default', `namespace: ${namespace}`);
}

/** The registered machine, with what the system adds: its document, its disk, its iPXE script. */
function hardwareFor(sample: Hardware, machine: Hardware, answers: Answers): Hardware {
  const { name, namespace, labels } = machine.metadata;
  const document = answers.userData ?? sample.spec?.userData;
  return {
    apiVersion: apiVersionOf(hardwareKind),
    kind: hardwareKind.kind,
    metadata: { name, namespace, ...(labels === undefined ? {} : { labels }) },
    spec: {
      ...machine.spec,
      ...(answers.disk === undefined ? {} : { disks: [{ device: answers.disk }] }),
      interfaces: interfacesFor(sample, machine),
      metadata: { ...machine.spec?.metadata, instance: instanceFor(sample, machine) },
      ...(document === undefined ? {} : { userData: document }),
    },
  };
}

function interfacesFor(sample: Hardware, machine: Hardware) {
  const script = sample.spec?.interfaces?.[0]?.netboot?.ipxe;
  return (machine.spec?.interfaces ?? []).map((one, index) => ({
    ...one,
    netboot: {
      ...one.netboot,
      allowPXE: true,
      ...(index === 0 && script !== undefined ? { ipxe: script } : {}),
    },
  }));
}

function instanceFor(sample: Hardware, machine: Hardware) {
  const { name } = machine.metadata;
  const system = sample.spec?.metadata?.instance?.operating_system;
  return {
    hostname: name,
    id: primaryMacOf(machine) ?? name,
    ...machine.spec?.metadata?.instance,
    ...(system === undefined ? {} : { operating_system: system }),
  };
}

interface Run {
  readonly machine: Hardware;
  readonly system: string;
  readonly answers: Answers;
}

function workflowFor(sample: Workflow, { machine, system, answers }: Run): Workflow {
  const { name, namespace } = machine.metadata;
  const agent = agentIdOf(machine) ?? '';
  const hardwareMap = { ...sample.spec?.hardwareMap, device_1: agent, ...answers.values };
  return {
    apiVersion: apiVersionOf(workflowKind),
    kind: workflowKind.kind,
    metadata: { name: `${name}-${system}`, namespace },
    spec: { ...sample.spec, hardwareRef: name, hardwareMap },
  };
}

/** @throws TinkFailure when an answer is not a value of YAML. */
function objectIn(text: string): Resource {
  const validated = validateManifest(text, 'example');
  const [found] = validated.ok ? validated.objects : [];
  if (found !== undefined) return found.resource;
  const problems = validated.ok ? [] : validated.problems.map(({ message }) => message);
  throw new TinkFailure(`the answers do not fit into the example: ${problems.join('; ')}`);
}

export function manifestText(objects: readonly Resource[]): string {
  return objects.map((one) => stringifyYaml(one)).join('---\n');
}
