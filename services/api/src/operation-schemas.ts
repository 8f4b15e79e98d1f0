/** The bodies of what operators do to workflows, as JSON schemas: `POST …/workflows/<name>/<verb>`. */
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
  who: text(
    'Who does it, in their own word; kept with the address of the sender. "anonymous" when absent.',
    128,
  ),
  why: text('Kept with the workflow and shown to others.'),
};

const actionName: Readonly<Record<string, BodySchema>> = {
  action: text('Name or id of the action.', 253),
  task: text('Name or id of its task; needed where two tasks have an action of that name.', 253),
};

const edits: Readonly<Record<string, BodySchema>> = {
  image: text('Replaces the image.', 4096),
  command: texts('Replaces the command.'),
  environment: {
    type: 'object',
    description: 'Replaces all of the environment.',
    additionalProperties: { type: 'string' },
  },
  volumes: texts('Replaces the volumes.'),
  timeout: { type: 'integer', description: 'Seconds; 0 is none.', minimum: 0 },
  pid: text('Replaces the pid namespace.', 64),
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
  description: 'Where to begin: where it stopped (the default), at the start, or at an action.',
  oneOf: [
    { type: 'string', enum: ['failed', 'start'] },
    { type: 'object', properties: actionName, required: ['action'] },
  ],
};
const set: BodySchema = {
  type: 'boolean',
  description: 'false takes the breakpoint away; true when absent.',
};

export const operationSchemas: Readonly<Record<OperatorVerb, BodySchema>> = {
  pause: body('Hands out no further action; what runs may finish.'),
  resume: body('Goes on after a pause, a breakpoint or an interruption.'),
  cancel: body('Ends the workflow as FAILED.'),
  retry: body('Runs a workflow that has ended again.', { from }),
  skip: body('Counts an action as succeeded without running it.', actionName, ['action']),
  breakpoint: body('Pauses before an action.', { ...actionName, set }, ['action']),
  edit: body('Changes an action that no agent has.', { ...actionName, ...edits }, ['action']),
};
