/**
 * The place of added fields on an API server with upstream's CRDs, which drops unknown fields. Those of a Workflow must be
 * written together with the status to which they belong, so they are the message of an additional condition. Those of a Hardware
 * are derived from other objects, so an annotation suffices. Readers of the store see neither.
 */
import {
  hardwareStatusExtensions,
  isRecord,
  workflowActionExtensions,
  workflowStatusExtensions,
  type Resource,
} from '@tinkerbell/resources';

/** The type of the condition of a Workflow. */
export const FIELDS_CONDITION = 'TinkerbellStatusFields';
/** The annotation of a Hardware. */
export const FIELDS_ANNOTATION = 'tinkerbell.org/status-fields';

const REASON = 'UpstreamDefinition';

interface Placing {
  /** Returns the object that the API server accepts, or the same object when nothing must be moved. */
  into(object: Resource): Resource;
  /** Reverses the placement. Text that cannot be parsed is left in place. */
  from(object: Resource): Resource;
}

const placings: Readonly<Record<string, Placing>> = {
  'workflows.tinkerbell.org': { into: intoCondition, from: fromCondition },
  'hardware.tinkerbell.org': { into: intoAnnotation, from: fromAnnotation },
};

/** Collections whose added fields have a place with upstream's CRDs. */
export function isPlaced(collection: string): boolean {
  return Object.hasOwn(placings, collection);
}

export function withFieldsPlaced(collection: string, object: Resource): Resource {
  return placings[collection]?.into(object) ?? object;
}

export function withFieldsRestored(collection: string, object: Resource): Resource {
  return placings[collection]?.from(object) ?? object;
}

type Fields = Readonly<Record<string, unknown>>;

function intoCondition(object: Resource): Resource {
  const status = fieldsOf(object.status);
  const tasks = listOf(status['tasks']);
  const ownActions = tasks.map((task) =>
    listOf(task['actions']).map((action) => pick(action, workflowActionExtensions)),
  );
  const own = pick(status, workflowStatusExtensions);
  const hasActions = ownActions.some((actions) => actions.some((action) => Object.keys(action).length > 0));
  if (!hasActions && Object.keys(own).length === 0) return object;
  const message = JSON.stringify(hasActions ? { ...own, actions: ownActions } : own);
  const condition = { type: FIELDS_CONDITION, status: 'True', reason: REASON, message };
  const rest = omit(status, workflowStatusExtensions);
  const upstreamTasks = tasks.map((task) => ({
    ...task,
    actions: listOf(task['actions']).map((action) => omit(action, workflowActionExtensions)),
  }));
  const conditions = [...listOf(status['conditions']).filter(isNotOurs), condition];
  return {
    ...object,
    status: { ...rest, ...(tasks.length === 0 ? {} : { tasks: upstreamTasks }), conditions },
  };
}

function fromCondition(object: Resource): Resource {
  const status = fieldsOf(object.status);
  const conditions = listOf(status['conditions']);
  const condition = conditions.find((one) => !isNotOurs(one));
  const message = parsed(condition?.['message']);
  if (message === undefined) return object;
  const { actions: ownActions, ...own } = message;
  const others = conditions.filter(isNotOurs);
  const tasks = listOf(status['tasks']).map((task, at) => {
    const ownOfTask = listOf(Array.isArray(ownActions) ? ownActions[at] : undefined);
    const actions = listOf(task['actions']).map((action, index) => ({
      ...action,
      ...pick(fieldsOf(ownOfTask[index]), workflowActionExtensions),
    }));
    return { ...task, actions };
  });
  const restored = {
    ...omit(status, ['conditions']),
    ...pick(own, workflowStatusExtensions),
    ...(tasks.length === 0 ? {} : { tasks }),
    ...(others.length === 0 ? {} : { conditions: others }),
  };
  return { ...object, status: restored };
}

function intoAnnotation(object: Resource): Resource {
  const own = pick(fieldsOf(object.status), hardwareStatusExtensions);
  if (Object.keys(own).length === 0) return object;
  const annotations = { ...object.metadata.annotations, [FIELDS_ANNOTATION]: JSON.stringify(own) };
  return {
    ...object,
    metadata: { ...object.metadata, annotations },
    status: omit(fieldsOf(object.status), hardwareStatusExtensions),
  };
}

/** A field in its own place is newer: the cluster has got this project's CRDs since. */
function fromAnnotation(object: Resource): Resource {
  const { [FIELDS_ANNOTATION]: text, ...others } = object.metadata.annotations ?? {};
  const own = parsed(text);
  if (own === undefined) return object;
  const { annotations: _annotations, ...metadata } = object.metadata;
  const hasOthers = Object.keys(others).length > 0;
  return {
    ...object,
    metadata: hasOthers ? { ...metadata, annotations: others } : metadata,
    status: { ...pick(own, hardwareStatusExtensions), ...fieldsOf(object.status) },
  };
}

function isNotOurs(condition: Fields): boolean {
  return condition['type'] !== FIELDS_CONDITION;
}

/** Returns undefined for text that is not an object. */
function parsed(text: unknown): Fields | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => names.includes(name) && value !== undefined),
  );
}

function omit(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}
