/** Parses the conditions of `tink wait`, and evaluates them on an object. Pure. */
import { isOfKind, isRecord, workflowKind, type Resource, type Workflow } from '@tinkerbell/resources';
import { usageFailure } from '../failure.ts';
import { valuesAt, valueText } from '../output/jsonpath/evaluate-jsonpath.ts';
import { parsePath, type Step } from '../output/jsonpath/parse-jsonpath.ts';

export type WaitCondition =
  | { readonly wanted: 'delete' }
  | { readonly wanted: 'condition'; readonly type: string; readonly status: string }
  /** Without `value`, the path must find something. */
  | {
      readonly wanted: 'jsonpath';
      readonly text: string;
      readonly path: readonly Step[];
      readonly value?: string;
    }
  | { readonly wanted: 'state'; readonly state: string };

/** Throws a usage failure that lists the forms. */
export function parseCondition(text: string): WaitCondition {
  if (text === 'delete') return { wanted: 'delete' };
  const condition = /^condition=([^=]+)(?:=(.+))?$/.exec(text);
  if (condition !== null)
    return { wanted: 'condition', type: condition[1] ?? '', status: condition[2] ?? 'True' };
  const state = /^state=(\w+)$/.exec(text);
  if (state !== null) return { wanted: 'state', state: (state[1] ?? '').toUpperCase() };
  const jsonpath = /^jsonpath=(\{.*\}|[^=]+)(?:=(.*))?$/s.exec(text);
  if (jsonpath !== null) {
    const [, path = '', value] = jsonpath;
    return {
      wanted: 'jsonpath',
      text: path,
      path: parsePath(path),
      ...(value === undefined ? {} : { value }),
    };
  }
  throw usageFailure(
    `--for ${text} is invalid`,
    'forms: condition=NAME, condition=NAME=False, jsonpath={.status.x}=VALUE, delete, state=SUCCESS',
  );
}

export interface Verdict {
  readonly isMet: boolean;
  /** True if the condition can no longer be met. */
  readonly isHopeless: boolean;
  /** The current state, for display. */
  readonly now: string;
}

/** Final states of a workflow. */
const ended = ['SUCCESS', 'FAILED', 'TIMEOUT'];

/** `object` is undefined if it does not exist. */
export function judge(condition: WaitCondition, object: Resource | undefined): Verdict {
  if (object === undefined)
    return {
      isMet: condition.wanted === 'delete',
      isHopeless: condition.wanted !== 'delete',
      now: 'deleted',
    };
  switch (condition.wanted) {
    case 'delete':
      return { isMet: false, isHopeless: false, now: deletionText(object) };
    case 'condition':
      return judgeCondition(condition, object);
    case 'jsonpath': {
      const values = valuesAt(condition.path, object).map(valueText);
      const isMet = condition.value === undefined ? values.length > 0 : values.includes(condition.value);
      const now = values.length === 0 ? 'missing' : values.join(' ').slice(0, 120);
      return { isMet, isHopeless: false, now: `${condition.text} is ${now}` };
    }
    case 'state':
      return judgeState(condition.state, object);
    default:
      return condition satisfies never;
  }
}

function deletionText({ metadata: { deletionTimestamp, finalizers = [] } }: Resource): string {
  if (deletionTimestamp === undefined) return 'not deleted';
  return `being deleted since ${deletionTimestamp}; finalizers: ${finalizers.join(', ') || 'none'}`;
}

function judgeCondition(
  { type, status }: Extract<WaitCondition, { wanted: 'condition' }>,
  object: Resource,
): Verdict {
  const list = isRecord(object.status) ? object.status['conditions'] : undefined;
  const conditions: unknown[] = Array.isArray(list) ? list : [];
  const found = conditions
    .filter(isRecord)
    .find((one) => String(one['type']).toLowerCase() === type.toLowerCase());
  if (found === undefined) return { isMet: false, isHopeless: false, now: `no condition ${type} yet` };
  const why = [found['reason'], found['message']].filter((one) => typeof one === 'string' && one !== '');
  const now = `${type} is ${String(found['status'])}${why.length === 0 ? '' : `: ${why.join(': ')}`}`;
  const isMet = String(found['status']).toLowerCase() === status.toLowerCase();
  return { isMet, isHopeless: false, now };
}

function judgeState(wanted: string, object: Resource): Verdict {
  const given = isRecord(object.status) ? object.status['state'] : undefined;
  const state = typeof given === 'string' ? given : '';
  const where = isOfKind(object, workflowKind) ? placeOf(object.status) : '';
  const now = state === '' ? 'no state yet' : `${state}${where === '' ? '' : ` (${where})`}`;
  const isMet = state === wanted;
  return { isMet, isHopeless: !isMet && object.kind === 'Workflow' && ended.includes(state), now };
}

/** Returns the action that failed, else the running one. */
function placeOf(status: Workflow['status']): string {
  const failed = (status?.tasks ?? [])
    .flatMap((task) => task.actions)
    .find((action) => ['FAILED', 'TIMEOUT'].includes(action.state ?? ''));
  if (failed === undefined) return status?.currentState?.actionName ?? '';
  return `${failed.name}: ${failed.message ?? ''}`;
}
