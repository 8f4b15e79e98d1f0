/** What must hold at the end of Genesis, decided from what was read. */
import { isRecord } from '@tinkerbell/yaml/json';

/** The Hardware, Templates and Workflows of a site by `collection/name`. */
export type Objects = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** What no store keeps for another one. */
const NEVER_KEPT = ['resourceVersion', 'managedFields'];
/** What a restored object gets anew. A Workflow's status names the uid of its machine. */
const NOT_RESTORED = [
  ...NEVER_KEPT,
  'uid',
  'creationTimestamp',
  'generation',
  'ownerReferences',
  'hardwareUID',
];

/** Returns a line for each object that a migration lost, added or changed. */
export function changedByMigration(before: Objects, after: Objects): readonly string[] {
  return differences(before, after, NEVER_KEPT);
}

/** Returns a line for each object that a restoration lost, added or changed. */
export function changedByRestoring(before: Objects, after: Objects): readonly string[] {
  return differences(before, after, NOT_RESTORED);
}

function differences(before: Objects, after: Objects, left: readonly string[]): readonly string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return names.flatMap((name) => {
    const [one, other] = [before.get(name), after.get(name)];
    if (one === undefined) return [`${name} is new`];
    if (other === undefined) return [`${name} is lost`];
    const [was, is] = [compared(one, left), compared(other, left)];
    return was === is ? [] : [`${name} was ${was} and is ${is}`];
  });
}

function compared(object: Readonly<Record<string, unknown>>, left: readonly string[]): string {
  const { metadata, spec, status } = object;
  const kept = (part: unknown): object =>
    Object.fromEntries(Object.entries(isRecord(part) ? part : {}).filter(([name]) => !left.includes(name)));
  return JSON.stringify(sorted({ metadata: kept(metadata), spec, status: kept(status) }));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const names = Object.keys(value).toSorted();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}

export interface RecordOfAction {
  readonly event: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Returns a line for each action of a Workflow that did not start and succeed exactly once. */
export function notOnce(
  workflow: string,
  actions: readonly string[],
  timeline: readonly RecordOfAction[],
): readonly string[] {
  return actions.flatMap((action) =>
    ['action-started', 'action-succeeded'].flatMap((event) => {
      const count = timeline.filter(
        (one) => one.event === event && one.details?.['action'] === action,
      ).length;
      return count === 1 ? [] : [`${workflow}: ${event} of "${action}" ${count} times`];
    }),
  );
}

export interface WorkflowProgress {
  readonly state: string;
  readonly isPaused: boolean;
  readonly actions: readonly { readonly name: string; readonly state: string }[];
}

/** Returns the state of a Workflow and of its actions. Of one that is not rendered yet: no actions. */
export function progressOf(workflow: Readonly<Record<string, unknown>> | undefined): WorkflowProgress {
  const status = isRecord(workflow?.['status']) ? workflow['status'] : {};
  const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
  const actions = listIn(status['tasks'])
    .filter(isRecord)
    .flatMap((task) => listIn(task['actions']))
    .filter(isRecord)
    .map(({ name, state }) => ({ name: String(name), state: String(state) }));
  const state = typeof status['state'] === 'string' ? status['state'] : '';
  return { state, isPaused: status['paused'] === true, actions };
}
