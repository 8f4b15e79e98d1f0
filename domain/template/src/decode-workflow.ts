import { type Path, type Position, type YamlMap, type YamlNode, type YamlScalar } from '@tinkerbell/yaml';
import {
  ON_INTERRUPTED,
  type ActionDefinition,
  type TaskDefinition,
  type WorkflowDefinition,
} from './workflow-definition.ts';

/**
 * Converts a YAML tree into a workflow with yaml.v3's rules: a scalar becomes a string field with its text as
 * written (`0644` stays `0644`, `y` stays `y`), null becomes the zero value, and unknown keys are ignored.
 */

export interface DecodeProblem {
  readonly message: string;
  readonly path: Path;
  readonly position: Position;
}

class DecodeFailure extends Error {
  readonly problem: DecodeProblem;

  constructor(problem: DecodeProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

export type DecodeResult =
  | { readonly ok: true; readonly workflow: WorkflowDefinition }
  | { readonly ok: false; readonly problem: DecodeProblem };

/** Returns the workflow in a document. An empty document is an empty workflow. */
export function decodeWorkflow(document: YamlNode | undefined): DecodeResult {
  try {
    const fields = fieldsOf(document, [], 'workflow.Workflow');
    text(fields('version'));
    text(fields('id'));
    return {
      ok: true,
      workflow: {
        name: text(fields('name')),
        globalTimeoutSeconds: wholeNumber(fields('global_timeout'), 'int'),
        tasks: items(fields('tasks'), '[]workflow.Task').map(task),
      },
    };
  } catch (error) {
    if (error instanceof DecodeFailure) return { ok: false, problem: error.problem };
    throw error;
  }
}

/** A node, or its absence, and its place. */
interface Place {
  readonly node: YamlNode | undefined;
  readonly path: Path;
}

function task(place: Place): TaskDefinition {
  const fields = fieldsOf(place.node, place.path, 'workflow.Task');
  return {
    name: text(fields('name')),
    worker: text(fields('worker')),
    volumes: texts(fields('volumes')),
    environment: textMap(fields('environment')),
    actions: items(fields('actions'), '[]workflow.Action').map(action),
  };
}

function action(place: Place): ActionDefinition {
  const fields = fieldsOf(place.node, place.path, 'workflow.Action');
  texts(fields('on-timeout'));
  const namespaces = fields('namespaces');
  const namespace = fieldsOf(namespaces.node, namespaces.path, 'workflow.Namespaces');
  return {
    name: text(fields('name')),
    image: text(fields('image')),
    timeoutSeconds: wholeNumber(fields('timeout'), 'int64'),
    command: texts(fields('command')),
    volumes: texts(fields('volumes')),
    environment: textMap(fields('environment')),
    pid: text(fields('pid')),
    namespaces: { network: text(namespace('network')), pid: text(namespace('pid')) },
    ...extensions(fields),
  };
}

type Extensions = Pick<ActionDefinition, 'retries' | 'backoffSeconds' | 'onInterrupted' | 'if' | 'onFailure'>;

/**
 * Our own fields, which upstream ignores (docs/decisions/0010). An `if` that renders to an empty text is
 * false.
 */
function extensions(fields: (name: string) => Place): Extensions {
  const [retries, backoff, condition] = [fields('retries'), fields('backoff'), fields('if')];
  const onInterrupted = text(fields('onInterrupted'));
  const known = ON_INTERRUPTED.find((one) => one === onInterrupted);
  if (onInterrupted !== '' && known === undefined)
    return refuse(fields('onInterrupted'), ON_INTERRUPTED.join(', '));
  const onFailure = failureActions(fields('on-failure'));
  return {
    ...(isAbsent(retries.node) ? {} : { retries: count(retries) }),
    ...(isAbsent(backoff.node) ? {} : { backoffSeconds: seconds(backoff) }),
    ...(known === undefined ? {} : { onInterrupted: known }),
    ...(condition.node === undefined ? {} : { if: text(condition) }),
    ...(onFailure.length === 0 ? {} : { onFailure }),
  };
}

/** Upstream has a list of strings here, which nothing reads. We keep it for compatibility. */
function failureActions(place: Place): ActionDefinition[] {
  const list = items(place, '[]workflow.Action');
  if (list.every(({ node }) => isAbsent(node) || node.kind === 'scalar')) return [];
  return list.map(action);
}

function count(place: Place): number {
  const value = wholeNumber(place, 'int64');
  return value < 0 ? refuse(place, 'a number of retries') : value;
}

const DURATION = /^(?:([0-9]+)h)?(?:([0-9]+)m)?(?:([0-9]+)(?:\.[0-9]+)?s)?$/;

/** Reads whole seconds, or a Go duration of hours, minutes and seconds. */
function seconds(place: Place): number {
  const source = text(place);
  if (/^[0-9]{1,9}$/.test(source)) return Number(source);
  const match = source.length > 24 ? null : DURATION.exec(source);
  if (match === null || source === '') return refuse(place, 'time.Duration');
  const [hours = '0', minutes = '0', rest = '0'] = match.slice(1);
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(rest);
}

function fieldsOf(node: YamlNode | undefined, path: Path, goType: string): (name: string) => Place {
  if (!isAbsent(node) && node.kind !== 'map') return refuse({ node, path }, goType);
  const map: YamlMap | undefined = isAbsent(node) || node.kind !== 'map' ? undefined : node;
  return (name) => ({ node: map?.entries.get(name)?.value, path: [...path, name] });
}

function text(place: Place): string {
  const { node } = place;
  if (isAbsent(node)) return '';
  return node.kind === 'scalar' ? node.text : refuse(place, 'string');
}

function texts(place: Place): string[] {
  return items(place, '[]string').map(text);
}

function textMap(place: Place): ReadonlyMap<string, string> {
  const { node, path } = place;
  if (isAbsent(node)) return new Map();
  if (node.kind !== 'map') return refuse(place, 'map[string]string');
  return new Map(
    [...node.entries].map(([key, entry]) => [key, text({ node: entry.value, path: [...path, key] })]),
  );
}

function items(place: Place, goType: string): Place[] {
  const { node, path } = place;
  if (isAbsent(node)) return [];
  if (node.kind !== 'list') return refuse(place, goType);
  // yaml.v3 omits null from a list.
  return node.items
    .map((item, i) => ({ node: item, path: [...path, i] }))
    .filter((item) => !isAbsent(item.node));
}

function wholeNumber(place: Place, goType: string): number {
  const { node } = place;
  if (isAbsent(node)) return 0;
  const isPlain = node.kind === 'scalar' && !node.quoted;
  return (isPlain ? yamlInteger(node) : undefined) ?? refuse(place, goType);
}

/**
 * Like yaml.v3, it also accepts whole floats and the forms of YAML 1.1 (`0644` octal, `1_000`) as integers.
 */
function yamlInteger(node: YamlScalar): number | undefined {
  const digits = node.text.replaceAll('_', '');
  const based = /^([-+]?)0(?:[xX]([0-9a-fA-F]+)|[oO]?([0-7]+)|[bB]([01]+))$/.exec(digits);
  if (based !== null) return basedInteger(based);
  const written = /^[-+]?[0-9]+$/.test(digits) ? Number(digits) : Number.NaN;
  const value = typeof node.value === 'number' ? node.value : written;
  return Number.isSafeInteger(value) ? value : undefined;
}

function basedInteger([, sign, hex, octal, binary]: readonly (string | undefined)[]): number | undefined {
  const base = [hex, octal, binary].findIndex((digits) => digits !== undefined);
  const size = Number.parseInt(hex ?? octal ?? binary ?? '', [16, 8, 2][base]);
  if (!Number.isSafeInteger(size)) return undefined;
  return sign === '-' ? -size : size;
}

function isAbsent(node: YamlNode | undefined): node is undefined | (YamlScalar & { value: null }) {
  return node === undefined || (node.kind === 'scalar' && node.value === null && !node.quoted);
}

const TAGS = { list: '!!seq', map: '!!map' } as const;

function refuse({ node, path }: Place, goType: string): never {
  const position = node?.position ?? { line: 1, column: 1 };
  const shown =
    node?.kind === 'scalar' ? `${scalarTag(node)} \`${excerpt(node.text)}\`` : TAGS[node?.kind ?? 'map'];
  const message = `cannot unmarshal ${shown} into ${goType}`;
  throw new DecodeFailure({ message, path, position });
}

function scalarTag(node: YamlScalar): string {
  if (node.quoted || typeof node.value === 'string') return '!!str';
  if (typeof node.value === 'boolean') return '!!bool';
  return Number.isInteger(node.value) ? '!!int' : '!!float';
}

function excerpt(source: string): string {
  return source.length > 10 ? `${source.slice(0, 7)}...` : source;
}
