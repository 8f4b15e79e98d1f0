/**
 * Checks that need more than the object itself. They find at apply what would otherwise fail silently later: a
 * template that cannot be parsed, a workflow whose template does not render for its hardware.
 */
import { inTurns, type TemplateRenderer, type TextReader } from '@tinkerbell/platform-contract';
import {
  customResourceDefinitionKind,
  definitionSchemaProblems,
  type CustomResourceDefinition,
  type Hardware,
  type Kind,
  type Problem,
  type Resource,
  type Template,
  type Workflow,
} from '@tinkerbell/resources';
import { renderInputOf, type View } from '@tinkerbell/store-contract';
import { validateTemplateText, type ReferenceRules, type RenderError } from '@tinkerbell/template';
import { tooMany } from './api-error.ts';
import { claimProblems, reachProblems } from './ownership.ts';

const BUSY_RETRY_SECONDS = 5;

export interface Admission {
  /** Problems for which the object is refused; `author` is the user who writes it. Rejects with an ApiError when too many wait to be checked. */
  problemsOf(kind: Kind, resource: Resource, isNew: boolean, author?: string): Promise<readonly Problem[]>;
}

export interface AdmissionDeps {
  readonly view: View;
  readonly renderer: TemplateRenderer;
  /** Long templates are parsed at once when absent. */
  readonly texts?: TextReader;
  readonly referenceRules: ReferenceRules;
}

export function createAdmission(deps: AdmissionDeps): Admission {
  return {
    problemsOf(kind, resource, isNew, author) {
      if (kind.kind === 'Template') return templateProblems(deps, resource as Template);
      if (kind.kind === 'Hardware') return Promise.resolve(claimProblems(deps.view, resource as Hardware));
      if (kind.kind === 'Workflow' && isNew) return workflowProblems(deps, resource as Workflow, author);
      if (kind === customResourceDefinitionKind)
        return inTurns(definitionSchemaProblems(resource as CustomResourceDefinition));
      return Promise.resolve([]);
    },
  };
}

/** Templates are parsed at once up to here, which takes 1 ms. */
const TEMPLATE_INLINE_CHARACTERS = 4096;

async function templateProblems({ texts }: AdmissionDeps, template: Template): Promise<readonly Problem[]> {
  const text = template.spec?.data;
  if (text === undefined) return [];
  const isShort = texts === undefined || text.length <= TEMPLATE_INLINE_CHARACTERS;
  const read = isShort ? validateTemplateText(text) : await texts.template(text);
  if (read.ok) return [];
  if ('reason' in read && read.reason === 'busy') throw tooMany(read.message, BUSY_RETRY_SECONDS);
  const message = 'error' in read ? whereAndWhat(read.error) : read.message;
  return [{ reason: 'invalid', path: ['spec', 'data'], message }];
}

/** Line and column count in the template's text, or in what it rendered to. */
function whereAndWhat(error: RenderError): string {
  const where = error.where === 'template' ? 'the template' : 'the rendered text';
  const line = error.line === undefined ? '' : `line ${error.line}, column ${error.column} of ${where}: `;
  return `${line}${error.message}`;
}

/** Only when template and hardware are there: objects may come in any order. */
async function workflowProblems(
  { view, renderer, referenceRules }: AdmissionDeps,
  workflow: Workflow,
  author?: string,
): Promise<readonly Problem[]> {
  const unreachable = reachProblems(view, workflow);
  if (unreachable.length > 0) return unreachable;
  const { templateRef = '', disabled } = workflow.spec ?? {};
  const found = renderInputOf(view, referenceRules, workflow);
  if (!found.ok || disabled === true) return [];
  const { namespace } = workflow.metadata;
  const rendered = await renderer.check(found.input, {
    namespace,
    author: author === undefined ? `template ${templateRef}` : `user ${author}`,
  });
  if (rendered.ok) return [];
  if (rendered.isBusy === true)
    throw tooMany(`${rendered.message}; create this workflow again later`, BUSY_RETRY_SECONDS);
  const fault = rendered.error === undefined ? rendered.message : whereAndWhat(rendered.error);
  const message = `template ${templateRef} does not render for it: ${fault}`;
  return [{ reason: 'invalid', path: ['spec', 'templateRef'], value: templateRef, message }];
}
