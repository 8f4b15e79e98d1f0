/**
 * Checks that need more than the object itself. They find at apply what would otherwise fail silently later: a
 * template that cannot be parsed, a workflow whose template does not render for its hardware.
 */
import type { Hardware, Kind, Problem, Resource, Template, Workflow } from '@tinkerbell/resources';
import type { View } from '@tinkerbell/store-contract';
import {
  renderTemplate,
  validateTemplateText,
  type RenderError,
  type TemplatePlatform,
} from '@tinkerbell/template';

export interface Admission {
  /** Problems for which the object is refused. */
  problemsOf(kind: Kind, resource: Resource, isNew: boolean): readonly Problem[];
}

export function createAdmission(view: View, platform?: TemplatePlatform): Admission {
  return {
    problemsOf(kind, resource, isNew) {
      if (kind.kind === 'Template') return templateProblems(resource as Template);
      if (kind.kind === 'Workflow' && isNew) return workflowProblems(resource as Workflow, view, platform);
      return [];
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
function workflowProblems(
  workflow: Workflow,
  view: View,
  platform: TemplatePlatform | undefined,
): readonly Problem[] {
  const { templateRef = '', hardwareMap = {}, disabled } = workflow.spec ?? {};
  const { namespace, name } = workflow.metadata;
  const template = view.templateNamed(namespace, templateRef);
  const hardware = hardwareOf(workflow, view);
  if (template === undefined || hardware === 'missing' || disabled === true) return [];
  const rendered = renderTemplate({
    templateName: name,
    text: template.spec?.data ?? '',
    hardware,
    hardwareMap,
    platform,
  });
  if (rendered.ok) return [];
  const message = `template ${templateRef} does not render for it: ${whereAndWhat(rendered.error)}`;
  return [{ reason: 'invalid', path: ['spec', 'templateRef'], value: templateRef, message }];
}

/** Undefined when the workflow names none. */
function hardwareOf(workflow: Workflow, view: View): Hardware | 'missing' | undefined {
  const name = workflow.spec?.hardwareRef ?? '';
  return name === '' ? undefined : (view.hardwareNamed(workflow.metadata.namespace, name) ?? 'missing');
}
