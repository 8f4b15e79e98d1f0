/**
 * `POST …/templates/<name>/render`: what a Template becomes for one machine. Nothing is stored, so it needs only the permission to read
 * the Template, the Hardware, and each object that the Hardware references.
 */
import type { User } from '@tinkerbell/access';
import {
  referencedObjects,
  type Preview,
  type Rendered,
  type TemplateRenderer,
} from '@tinkerbell/engine-rendering';
import type { Authorizer } from '@tinkerbell/platform-contract';
import {
  agentIdOf,
  formatProblem,
  hardwareKind,
  isRecord,
  ofKind,
  templateKind,
  type Hardware,
} from '@tinkerbell/resources';
import type { View } from '@tinkerbell/store-contract';
import type { ObjectReference, ReferenceRules, RenderInput, WorkflowDefinition } from '@tinkerbell/template';
import { permit } from './access/question.ts';
import { ApiError, causesOf, busy } from './api-error.ts';
import { json } from './api-response.ts';
import { bodyProblems, type BodySchema } from './body-schema.ts';
import type { ResourceTarget } from './request-target.ts';
import { getObject, type VerbDeps } from './resource-handlers.ts';

export interface RenderDeps extends VerbDeps {
  readonly view: View;
  readonly renderer: TemplateRenderer;
  readonly referenceRules: ReferenceRules;
  readonly authorizer: Authorizer;
}

/** The limit of a document in Tinkerbell's kinds. */
const TEXT_MAX = 1.5 * 1024 * 1024;

const bodySchema: BodySchema = {
  type: 'object',
  description: 'Renders a Template for one machine.',
  required: ['hardware'],
  properties: {
    hardware: {
      type: 'string',
      description: 'Name of the Hardware in the namespace of the Template.',
      maxLength: 253,
    },
    data: {
      type: 'string',
      description: 'Text to render instead of the stored one. The Template may be absent.',
      maxLength: TEXT_MAX,
    },
    hardwareMap: {
      type: 'object',
      description: 'Values of the template (default: device_1 is the agent of the Hardware).',
      additionalProperties: { type: 'string', maxLength: 1024 },
    },
  },
};

interface Wanted {
  readonly hardware: string;
  readonly data?: string;
  readonly hardwareMap?: Readonly<Record<string, string>>;
}

/** Rejects with an ApiError. A text that does not render is an answer, with its error. */
export async function renderingAnswer(
  deps: RenderDeps,
  target: ResourceTarget,
  { body, user }: { readonly body: unknown; readonly user: User },
): Promise<Response> {
  const wanted = wantedIn(target, body);
  const hardware = await readHardware(
    deps,
    { namespace: target.namespace ?? '', name: wanted.hardware },
    user,
  );
  const text = wanted.data ?? (await storedText(deps, target));
  const owner = { namespace: target.namespace ?? '', author: `user ${user.name}` };
  const input = { templateName: target.name ?? '', text, ...inputFor(deps, hardware, { wanted, user }) };
  return answerOf(await deps.renderer.preview(input, owner));
}

function wantedIn(target: ResourceTarget, body: unknown = {}): Wanted {
  const problems = bodyProblems(bodySchema, body);
  if (problems.length === 0 && isWanted(body)) return body;
  const { name = '', kind } = target;
  const message = `render of template ${JSON.stringify(name)} is invalid: ${problems.map(formatProblem).join(', ')}`;
  const details = { name, group: kind.group, kind: kind.plural, causes: causesOf(problems) };
  throw new ApiError('Invalid', message, details);
}

/** The schema has validated it. */
function isWanted(body: unknown): body is Wanted {
  return isRecord(body);
}

async function readHardware(
  deps: RenderDeps,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  user: User,
): Promise<Hardware> {
  const { group, plural: resource } = hardwareKind;
  const target = { kind: hardwareKind, namespace, name };
  permit(deps.authorizer, user, { asked: { verb: 'get', group, resource, namespace, name }, target });
  return ofKind(await getObject(deps, target), hardwareKind);
}

function inputFor(
  deps: RenderDeps,
  hardware: Hardware,
  { wanted: { hardwareMap = {} }, user }: { readonly wanted: Wanted; readonly user: User },
): Omit<RenderInput, 'templateName' | 'text'> {
  const mayRead = (reference: ObjectReference): boolean =>
    deps.authorizer.decide(user, { verb: 'get', ...reference }).allowed;
  const { references, referenceProblems } = referencedObjects(deps, hardware, mayRead);
  const agent = agentIdOf(hardware);
  const values = { ...(agent === undefined ? {} : { device_1: agent }), ...hardwareMap };
  return { hardware, hardwareMap: values, references, referenceProblems };
}

function answerOf(rendered: Rendered<Preview>): Response {
  if (rendered.ok) {
    const { text, workflow } = rendered.value;
    return json({ ok: true, text, workflow: plain(workflow) });
  }
  const { message, error = { message }, text, isBusy = false } = rendered;
  if (isBusy) throw busy(`${message}; render it again later`);
  return json({ ok: false, error, ...(text === undefined ? {} : { text }) });
}

async function storedText(deps: RenderDeps, target: ResourceTarget): Promise<string> {
  const stored = await getObject(deps, target);
  return ofKind(stored, templateKind).spec?.data ?? '';
}

/** JSON has no maps. */
function plain(workflow: WorkflowDefinition): unknown {
  const text = JSON.stringify(workflow, (_key, value: unknown) =>
    value instanceof Map ? Object.fromEntries(value as ReadonlyMap<string, unknown>) : value,
  );
  return JSON.parse(text);
}
