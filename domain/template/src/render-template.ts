import { execute, parseTemplate, type TemplateError, type Value } from '@tinkerbell/go-template';
import { parseYaml, type Path, type Position, positionOf, type YamlNode } from '@tinkerbell/yaml';
import { decodeWorkflow } from './decode-workflow.ts';
import type { RenderError, RenderStep } from './render-error.ts';
import { type JsonObject, templateData } from './dot.ts';
import { TEMPLATE_FUNCTIONS } from './template-functions.ts';
import { type WorkflowProblem, workerProblem, workflowProblem } from './validate-workflow.ts';
import type { WorkflowDefinition } from './workflow-definition.ts';

/** Bytes of rendered text, as upstream. */
export const RENDERED_BYTES_MAX = 262_144;

/** The name upstream gives the template, which shows in its error texts. */
const GO_TEMPLATE_NAME = 'workflow-template';

export interface RenderInput {
  /** Names the template in errors; upstream shows the workflow's name here. */
  readonly templateName: string;
  /** The Template's spec.data. */
  readonly text: string;
  /** The Hardware as JSON; left out when the workflow has no hardwareRef. */
  readonly hardware?: object | undefined;
  /** The Workflow's spec.hardwareMap. */
  readonly hardwareMap?: Readonly<Record<string, string>> | undefined;
}

export type RenderResult =
  | { readonly ok: true; readonly workflow: WorkflowDefinition; readonly text: string }
  | { readonly ok: false; readonly error: RenderError };

export type TextResult =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly error: RenderError };

/**
 * Renders a Template for a Hardware into a workflow (upstream: renderTemplateHardware).
 * Missing keys are errors, output is limited to RENDERED_BYTES_MAX; `.references` is not provided here.
 */
export function renderTemplate(input: RenderInput): RenderResult {
  const rendered = renderText(
    input.templateName,
    input.text,
    templateData(input.hardware as JsonObject | undefined, input.hardwareMap ?? {}),
  );
  if (!rendered.ok) return rendered;
  const parsed = parseYaml(rendered.text);
  if (!parsed.ok) {
    const { message, position } = parsed.error;
    return yamlFailure(message, position, undefined);
  }
  const [document] = parsed.documents;
  const decoded = decodeWorkflow(document);
  if (!decoded.ok)
    return yamlFailure(decoded.problem.message, decoded.problem.position, decoded.problem.path);
  const { workflow } = decoded;
  const problem = workflowProblem(workflow);
  if (problem !== undefined) return invalid(problem, document, 'validating workflow template: ');
  const worker = workerProblem(workflow);
  return worker === undefined ? { ok: true, workflow, text: rendered.text } : invalid(worker, document, '');
}

/** Executes a template text on a prepared dot, as for a workflow (also used for templated BMC media URLs). */
export function renderText(templateName: string, text: string, data: Value): TextResult {
  const parsed = parseTemplate(GO_TEMPLATE_NAME, text, { functions: TEMPLATE_FUNCTIONS });
  if (!parsed.ok) return { ok: false, error: templateFailure(parsed.error, templateName, 'parse') };
  const limits = { outputBytes: RENDERED_BYTES_MAX };
  const result = execute(parsed.template, data, { missingKey: 'error', limits });
  return result.ok ? result : { ok: false, error: templateFailure(result.error, templateName, 'execute') };
}

/** Says whether a template text parses and calls only functions that exist; for use when a Template is applied. */
export function validateTemplateText(
  text: string,
): { readonly ok: true } | { readonly ok: false; readonly error: RenderError } {
  const parsed = parseTemplate(GO_TEMPLATE_NAME, text, { functions: TEMPLATE_FUNCTIONS });
  if (parsed.ok) return { ok: true };
  const { message, line, column } = parsed.error;
  return {
    ok: false,
    error: { step: 'parse', message, text: parsed.error.text, where: 'template', line, column },
  };
}

function templateFailure(error: TemplateError, templateName: string, step: RenderStep): RenderError {
  const { message, line, column, expression } = error;
  // Upstream's limit is in the writer, whose error text/template passes on without a place.
  const inner = error.code === 'limit' && step === 'execute' ? message : error.text;
  const text = `failed to parse template with ID ${templateName}: err: ${inner}`;
  return {
    step,
    message,
    text,
    where: 'template',
    line,
    column,
    ...(expression === undefined ? {} : { expression }),
  };
}

function yamlFailure(message: string, { line, column }: Position, path: Path | undefined): RenderResult {
  const text = `parsing yaml data: err: yaml: line ${line}: ${message}`;
  const place = path === undefined ? {} : { path: pathText(path) };
  return { ok: false, error: { step: 'yaml', message, text, where: 'rendered', line, column, ...place } };
}

function invalid(problem: WorkflowProblem, document: YamlNode | undefined, prefix: string): RenderResult {
  const { message, path } = problem;
  const { line, column } = document === undefined ? { line: 1, column: 1 } : positionOf(document, path);
  const text = prefix + message;
  return {
    ok: false,
    error: { step: 'validate', message, text, where: 'rendered', line, column, path: pathText(path) },
  };
}

function pathText(path: Path): string {
  return path
    .map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`))
    .join('');
}
