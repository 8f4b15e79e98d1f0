import type { HttpRequest } from '@tinkerbell/platform-contract';
import {
  diskLayoutOf,
  EC2_VERSIONS,
  ec2NodeAt,
  NOCLOUD_DOCUMENTS,
  nocloudDocument,
  type NocloudDocument,
} from '@tinkerbell/instance-metadata';
import type { View } from '@tinkerbell/store-contract';
import { parseMac } from '@tinkerbell/wire';
import { methodProblem, pathUnknown, type Answer } from './answer.ts';
import { contentTypeOf, type ConfigKind } from './config-documents.ts';
import { answerPhoneHome } from './phone-home.ts';
import type { SessionGate } from './session-gate.ts';
import {
  isSameMachine,
  machineWithInstanceId,
  machineWithMac,
  type Machine,
  type MachineSearch,
  type Visitor,
} from './visitor.ts';

/** One request, with its path below the endpoint's, percent-decoded: `meta-data/hostname`. */
export interface Asked {
  readonly request: HttpRequest;
  readonly path: string;
  readonly visitor: Visitor;
}

export type Endpoint = (asked: Asked) => Answer | Promise<Answer>;

const isEc2Version = (text: string | undefined) => EC2_VERSIONS.some((version) => version === text);

/** Below `/<version>`: the tree of the requesting machine, its session token, and its call when it is ready. */
export function createEc2Endpoint(gate: SessionGate): Endpoint {
  return ({ request, path, visitor }) => {
    if (path === 'api/token') return gate.issue(request, visitor);
    if (path === 'phone-home') return answerPhoneHome(request, visitor);
    const problem = gate.problemOf(request, visitor);
    return ec2Answer(request, path, { search: visitor.search, problem });
  };
}

/** Below `/tootles/instanceID`: the tree of any machine by its instance id, for anyone. */
export function createInstanceEndpoint(view: View): Endpoint {
  return ({ request, path }) => {
    const [id = '', version, ...rest] = path.split('/');
    if (!isEc2Version(version)) return pathUnknown;
    const search = machineWithInstanceId(view, id);
    const answer = ec2Answer(request, rest.join('/'), { search, problem: undefined });
    return search.ok ? { ...answer, machine: search.machine } : answer;
  };
}

const isNothing = (path: string) => /^\/*$/.test(path);

/** At `/phone-home`, for clients without an EC2 version in the URL. */
export function phoneHomeEndpoint({ request, path, visitor }: Asked): Answer | Promise<Answer> {
  return isNothing(path) ? answerPhoneHome(request, visitor) : pathUnknown;
}

/** Listings are the same for all machines and need none. */
function ec2Answer(
  request: HttpRequest,
  path: string,
  { search, problem }: { readonly search: MachineSearch; readonly problem: Answer['outcome'] | undefined },
): Answer {
  const node = ec2NodeAt(path);
  const found = node?.kind === 'listing' ? 'listing' : node?.topic;
  const kind = found ?? 'unknown-path';
  if (problem !== undefined) return { kind, outcome: problem };
  if (node === undefined) return pathUnknown;
  const wrongMethod = methodProblem(request, kind);
  if (wrongMethod !== undefined) return wrongMethod;
  if (node.kind === 'listing') return { kind, outcome: 'served', text: node.text };
  if (!search.ok) return { kind, outcome: search.outcome };
  const text = node.textFor(search.machine.hardware);
  return text === undefined ? pathUnknown : { kind, outcome: 'served', text };
}

/**
 * Below `/nocloud`: `<document>` of the requesting machine, or `<mac>/<document>`, which only the machine with that MAC and this
 * host may read.
 */
export function createNocloudEndpoint(view: View, gate: SessionGate): Endpoint {
  return ({ request, path, visitor }) => {
    const elements = path.split('/');
    const kind = NOCLOUD_DOCUMENTS.find((document) => document === elements.at(-1));
    const mac = elements.length === 2 ? parseMac(elements[0] ?? '') : undefined;
    if (kind === undefined || (elements.length !== 1 && mac === undefined)) return pathUnknown;
    const problem = gate.problemOf(request, visitor);
    if (problem !== undefined) return { kind, outcome: problem };
    const wrongMethod = methodProblem(request, kind);
    if (wrongMethod !== undefined) return wrongMethod;
    const search = mac === undefined ? visitor.search : machineWithMac(view, mac);
    return search.ok ? nocloudAnswer(kind, search.machine, visitor) : { kind, outcome: search.outcome };
  };
}

function maySee(machine: Machine, { search, isLocal }: Visitor): boolean {
  return isLocal || (search.ok && isSameMachine(machine, search.machine));
}

function nocloudAnswer(kind: NocloudDocument, machine: Machine, visitor: Visitor): Answer {
  if (!maySee(machine, visitor)) return { kind, outcome: 'machine-foreign', machine };
  const text = nocloudDocument(kind, machine.hardware);
  return text === undefined ? { ...pathUnknown, machine } : { kind, outcome: 'served', text, machine };
}

/**
 * Below `/talos`, `/preseed` and the like: `config` of the requesting machine, or `<mac>/config`, as with NoCloud. It is the
 * unchanged user-data.
 */
export function createConfigEndpoint(view: View, gate: SessionGate, kind: ConfigKind): Endpoint {
  return ({ request, path, visitor }) => {
    const elements = path.split('/');
    const mac = elements.length === 2 ? parseMac(elements[0] ?? '') : undefined;
    if (elements.at(-1) !== 'config' || (elements.length !== 1 && mac === undefined)) return pathUnknown;
    const problem = gate.problemOf(request, visitor);
    if (problem !== undefined) return { kind, outcome: problem };
    const wrongMethod = methodProblem(request, kind);
    if (wrongMethod !== undefined) return wrongMethod;
    const search = mac === undefined ? visitor.search : machineWithMac(view, mac);
    if (!search.ok) return { kind, outcome: search.outcome };
    return configAnswer(kind, search.machine, visitor);
  };
}

function configAnswer(kind: ConfigKind, machine: Machine, visitor: Visitor): Answer {
  if (!maySee(machine, visitor)) return { kind, outcome: 'machine-foreign', machine };
  const text = machine.hardware.spec?.userData ?? '';
  // Ignition rejects an empty document as broken, and accepts 404 as an answer. Talos asks again.
  if (text === '') return { kind, outcome: 'no-user-data', machine };
  const headers = { 'content-type': contentTypeOf[kind] };
  return { kind, outcome: 'served', text, machine, headers };
}

/** At `/metadata`: disks and filesystems as JSON, for rootio. */
export function answerDiskLayout({ request, path, visitor: { search } }: Asked): Answer {
  if (!isNothing(path)) return pathUnknown;
  const kind = 'disk-layout';
  const wrongMethod = methodProblem(request, kind);
  if (wrongMethod !== undefined) return wrongMethod;
  if (!search.ok) return { kind, outcome: search.outcome };
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return { kind, outcome: 'served', text: diskLayoutOf(search.machine.hardware), headers };
}
