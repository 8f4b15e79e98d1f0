/** JSON schemas of the bodies of operator requests: `POST …/workflows/<name>/<verb>`. */
import type { OperatorVerb } from '@tinkerbell/workflow';
import type { BodySchema } from './body-schema.ts';

const text = (description: string, maxLength = 1024): BodySchema => ({
  type: 'string',
  description,
  maxLength,
});
const texts = (description: string): BodySchema => ({
  type: 'array',
  description,
  items: { type: 'string' },
});

const operator: Readonly<Record<string, BodySchema>> = {
  who: text('Name of the operator, stored with the address of the sender (default: "anonymous").', 128),
  why: text('Reason, stored with the workflow.'),
};

const actionName: Readonly<Record<string, BodySchema>> = {
  action: text('Name or id of the action.', 253),
  task: text('Name or id of its task; required if two tasks have an action of that name.', 253),
};

const edits: Readonly<Record<string, BodySchema>> = {
  image: text('New image.', 4096),
  command: texts('New command.'),
  environment: {
    type: 'object',
    description: 'New environment; replaces all variables.',
    additionalProperties: { type: 'string' },
  },
  volumes: texts('New volumes; replaces all volumes.'),
  timeout: { type: 'integer', description: 'Timeout in seconds; 0 for no timeout.', minimum: 0 },
  pid: text('New pid namespace.', 64),
  namespaces: {
    type: 'object',
    properties: { network: { type: 'string' }, pid: { type: 'string' } },
  },
};

function body(
  description: string,
  fields: BodySchema['properties'] = {},
  required: readonly string[] = [],
): BodySchema {
  return { type: 'object', description, properties: { ...fields, ...operator }, required };
}

const from: BodySchema = {
  description: 'Where to start: where the workflow stopped (default), at the start, or at an action.',
  oneOf: [
    { type: 'string', enum: ['failed', 'start'] },
    { type: 'object', properties: actionName, required: ['action'] },
  ],
};
const set: BodySchema = {
  type: 'boolean',
  description: 'false removes the breakpoint (default: true).',
};

export const operationSchemas: Readonly<Record<OperatorVerb, BodySchema>> = {
  pause: body('Stops assigning actions; a running action may finish.'),
  resume: body('Resumes after a pause, a breakpoint or an interruption.'),
  cancel: body('Ends the workflow as FAILED.'),
  retry: body('Runs an ended workflow again.', { from }),
  skip: body('Marks an action as succeeded without running it.', actionName, ['action']),
  breakpoint: body('Pauses before an action.', { ...actionName, set }, ['action']),
  edit: body('Changes an action that is not running.', { ...actionName, ...edits }, ['action']),
};
