/**
 * Checks that need more than the object itself. They report errors at apply that would fail later: a template that cannot be
 * parsed is rejected. An error that another object may still fix is a warning: a workflow whose template does not render
 * for its hardware is stored, and waits (like upstream).
 */
import type { TextReader } from '@tinkerbell/platform-contract';
import type { TemplateRenderer } from '@tinkerbell/engine-rendering';
import {
  customResourceDefinitionKind,
  hardwareKind,
  ofKind,
  templateKind,
  workflowKind,
  type Kind,
  type Problem,
  type Resource,
  type Template,
  type Workflow,
} from '@tinkerbell/resources';
import type { View } from '@tinkerbell/store-contract';
import { renderInputOf } from '@tinkerbell/engine-rendering';
import {
  foreignImagesOf,
  foreignImageWarning,
  validateTemplateText,
  type ForeignImage,
  type ReferenceRules,
  type RenderError,
} from '@tinkerbell/template';
import { tooMany } from './api-error.ts';
import { definitionProblems } from './custom/check-schemas.ts';
import { claimProblems, reachProblems } from './ownership.ts';
import { rivalWarnings } from './unfinished.ts';

const BUSY_RETRY_SECONDS = 5;

export interface Verdict {
  /** Problems that reject the object. */
  readonly problems: readonly Problem[];
  /** Warnings that are returned with the stored object. */
  readonly warnings: readonly Problem[];
}

export interface Writing {
  readonly isNew: boolean;
  /** The user who writes the object. */
  readonly author?: string;
}

export interface Admission {
  /** Rejects with an ApiError if too many checks are queued. */
  judge(kind: Kind, resource: Resource, writing: Writing): Promise<Verdict>;
}

export interface AdmissionDeps {
  readonly view: View;
  readonly renderer: TemplateRenderer;
  /** If undefined, long templates and schemas are read in this thread. */
  readonly texts?: TextReader;
  readonly referenceRules: ReferenceRules;
}

export function createAdmission(deps: AdmissionDeps): Admission {
  return {
    async judge(kind, resource, { isNew, author }) {
      if (kind === templateKind) return templateVerdict(deps, ofKind(resource, templateKind));
      if (kind === hardwareKind) return refusedFor(claimProblems(deps.view, ofKind(resource, hardwareKind)));
      if (kind === workflowKind && isNew)
        return workflowVerdict(deps, ofKind(resource, workflowKind), author);
      if (kind === workflowKind) return enabledVerdict(deps, ofKind(resource, workflowKind));
      if (kind === customResourceDefinitionKind) {
        const definition = ofKind(resource, customResourceDefinitionKind);
        return refusedFor(await definitionProblems(definition, deps.texts));
      }
      return refusedFor([]);
    },
  };
}

function refusedFor(problems: readonly Problem[]): Verdict {
  return { problems, warnings: [] };
}

/** Size up to which templates are parsed in this thread, which takes 1 ms. */
const TEMPLATE_INLINE_CHARACTERS = 4096;

async function templateVerdict({ texts }: AdmissionDeps, template: Template): Promise<Verdict> {
  const text = template.spec?.data;
  if (text === undefined) return refusedFor([]);
  const isShort = texts === undefined || text.length <= TEMPLATE_INLINE_CHARACTERS;
  const read = isShort ? validateTemplateText(text) : await texts.template(text);
  if (read.ok) return { problems: [], warnings: (read.foreignImages ?? []).map(imageAtLine) };
  if ('reason' in read && read.reason === 'busy') throw tooMany(read.message, BUSY_RETRY_SECONDS);
  const message = 'error' in read ? whereAndWhat(read.error) : read.message;
  return refusedFor([{ reason: 'invalid', path: ['spec', 'data'], message }]);
}

function imageAtLine({ image, line }: ForeignImage): Problem {
  const message = `line ${line} of the template: ${foreignImageWarning(image)}`;
  return { reason: 'not-supported', path: ['spec', 'data'], message };
}

/** Line and column refer to the template's text, or to the rendered text. */
function whereAndWhat(error: RenderError): string {
  const where = error.where === 'template' ? 'the template' : 'the rendered text';
  const line = error.line === undefined ? '' : `line ${error.line}, column ${error.column} of ${where}: `;
  return `${line}${error.message}`;
}

/** Checks only if template and hardware exist, because objects may come in any order. */
async function workflowVerdict(
  { view, renderer, referenceRules }: AdmissionDeps,
  workflow: Workflow,
  author?: string,
): Promise<Verdict> {
  const unreachable = reachProblems(view, workflow);
  if (unreachable.length > 0) return refusedFor(unreachable);
  const { templateRef = '', disabled } = workflow.spec ?? {};
  const found = renderInputOf(view, referenceRules, workflow);
  if (disabled === true) return refusedFor([]);
  if (!found.ok) return { problems: [], warnings: rivalWarnings(view, workflow, []) };
  const { namespace } = workflow.metadata;
  const rendered = await renderer.check(found.input, {
    namespace,
    author: author === undefined ? `template ${templateRef}` : `user ${author}`,
  });
  const at = { path: ['spec', 'templateRef'], value: templateRef };
  if (rendered.ok) {
    const workers = rendered.value.tasks.map(({ worker }) => worker);
    const images = foreignImagesOf(rendered.value).map(foreignImageWarning);
    const ofImages = images.map((message): Problem => ({ reason: 'not-supported', ...at, message }));
    return { problems: [], warnings: [...ofImages, ...rivalWarnings(view, workflow, workers)] };
  }
  if (rendered.isBusy === true)
    throw tooMany(`${rendered.message}; create this workflow again later`, BUSY_RETRY_SECONDS);
  const fault = rendered.error === undefined ? rendered.message : whereAndWhat(rendered.error);
  const message = `template ${templateRef} does not render: ${fault}; the workflow waits until the template or the hardware changes`;
  return {
    problems: [],
    warnings: [{ reason: 'invalid', ...at, message }, ...rivalWarnings(view, workflow, [])],
  };
}

/** On a change: a re-enabled Workflow joins the Workflows of its machine. */
function enabledVerdict({ view }: AdmissionDeps, workflow: Workflow): Verdict {
  const { namespace, name } = workflow.metadata;
  const isEnabled = view.workflowNamed(namespace, name)?.spec?.disabled === true && !workflow.spec?.disabled;
  return { problems: [], warnings: isEnabled ? rivalWarnings(view, workflow, []) : [] };
}
