/**
 * Checks that need more than the object itself. They find at apply what would otherwise fail silently later: a
 * template that cannot be parsed, a workflow whose template does not render for its hardware.
 */
import type { TemplateRenderer } from '@tinkerbell/platform-contract';
import {
  customResourceDefinitionKind,
  definitionSchemaProblems,
  type CustomResourceDefinition,
  type Kind,
  type Problem,
  type Resource,
  type Template,
  type Workflow,
} from '@tinkerbell/resources';
import { renderInputOf, type View } from '@tinkerbell/store-contract';
import { validateTemplateText, type ReferenceRules, type RenderError } from '@tinkerbell/template';
import { tooMany } from './api-error.ts';

const BUSY_RETRY_SECONDS = 5;

export interface Admission {
  /** Problems for which the object is refused. Rejects with an ApiError when too many wait to be checked. */
  problemsOf(kind: Kind, resource: Resource, isNew: boolean): Promise<readonly Problem[]>;
}

export interface AdmissionDeps {
  readonly view: View;
  readonly renderer: TemplateRenderer;
  readonly referenceRules: ReferenceRules;
}

export function createAdmission(deps: AdmissionDeps): Admission {
  return {
    problemsOf(kind, resource, isNew) {
      if (kind.kind === 'Template') return Promise.resolve(templateProblems(resource as Template));
      if (kind.kind === 'Workflow' && isNew) return workflowProblems(deps, resource as Workflow);
      if (kind === customResourceDefinitionKind)
        return Promise.resolve(definitionSchemaProblems(resource as CustomResourceDefinition));
      return Promise.resolve([]);
    },
  };
}

function templateProblems(template: Template): readonly Problem[] {
  const text = template.spec?.data;
  if (text === undefined) return [];
  const checked = validateTemplateText(text);
  if (checked.ok) return [];
  return [{ reason: 'invalid', path: ['spec', 'data'], message: whereAndWhat(checked.error) }];
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
): Promise<readonly Problem[]> {
  const { templateRef = '', disabled } = workflow.spec ?? {};
  const found = renderInputOf(view, referenceRules, workflow);
  if (!found.ok || disabled === true) return [];
  const rendered = await renderer.check(found.input);
  if (rendered === 'busy')
    throw tooMany('many workflows are being checked; create this one again later', BUSY_RETRY_SECONDS);
  if (rendered.ok) return [];
  const fault = rendered.error === undefined ? rendered.message : whereAndWhat(rendered.error);
  const message = `template ${templateRef} does not render for it: ${fault}`;
  return [{ reason: 'invalid', path: ['spec', 'templateRef'], value: templateRef, message }];
}
