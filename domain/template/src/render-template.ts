import {
  BUILTIN_NAMES,
  execute,
  type FunctionMap,
  parseTemplate,
  type TemplateError,
  type Value,
} from '@tinkerbell/go-template';
import { parseYaml, type Path, type Position, positionOf, type YamlNode } from '@tinkerbell/yaml';
import { foreignImagesIn, type ForeignImage } from './action-image.ts';
import { decodeWorkflow } from './decode-workflow.ts';
import { excerptOf } from './error-excerpt.ts';
import { nearNames } from './near-names.ts';
import type { RenderError, RenderStep } from './render-error.ts';
import { templateData } from './go/dot.ts';
import { GO_TEMPLATE_NAME, parsedTemplate } from './parsed-templates.ts';
import { maskSecrets } from './secret-mask.ts';
import { TEMPLATE_FUNCTIONS, templateFunctions } from './functions/template-functions.ts';
import type { TemplatePlatform } from './template-platform.ts';
import { type WorkflowProblem, workerProblem, workflowProblem } from './validate-workflow.ts';
import type { WorkflowDefinition } from './workflow-definition.ts';

/** The limit of rendered text in bytes, as upstream. */
export const RENDERED_BYTES_MAX = 262_144;

export interface RenderInput {
  /** Names the template in errors. Upstream uses the workflow's name. */
  readonly templateName: string;
  /** The Template's spec.data. */
  readonly text: string;
  /** The Hardware as JSON. Omitted when the workflow has no hardwareRef. */
  readonly hardware?: object | undefined;
  /** The Workflow's spec.hardwareMap. */
  readonly hardwareMap?: Readonly<Record<string, string>> | undefined;
  /** `.references`: the objects that the Hardware names and the template may see. */
  readonly references?: Readonly<Record<string, object>> | undefined;
  /**
   * Why other references of the Hardware are missing, one per line. Reported when the template fails without
   * them.
   */
  readonly referenceProblems?: string | undefined;
  /** For functions that need a clock, randomness or cryptography. They fail without it. */
  readonly platform?: TemplatePlatform | undefined;
  /** Texts that no error may contain. Each becomes `***`. */
  readonly secrets?: readonly string[] | undefined;
}

export type RenderResult =
  | { readonly ok: true; readonly workflow: WorkflowDefinition; readonly text: string }
  | {
      readonly ok: false;
      readonly error: RenderError;
      /** The rendered text, if the error is in it. Unlike the error, it is not masked. */
      readonly text?: string;
    };

export type TextResult =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly error: RenderError };

/** A template text, and its name in errors. */
export type NamedText = Pick<RenderInput, 'templateName' | 'text'>;

/** The functions that a rendering may use, and the texts that it must hide. */
export type TextOptions = Pick<RenderInput, 'platform' | 'secrets'>;

/**
 * Renders a Template for a Hardware into a workflow (upstream: renderTemplateHardware).
 * Missing keys are errors, output is limited to RENDERED_BYTES_MAX.
 */
export function renderTemplate(input: RenderInput): RenderResult {
  const { hardware, hardwareMap = {}, references } = input;
  const data = templateData(hardware, hardwareMap, references);
  const rendered = renderText(input, data, input);
  if (!rendered.ok) return withReferenceProblems(rendered, input.referenceProblems ?? '');
  const result = readWorkflow(rendered.text);
  const { text } = rendered;
  return result.ok ? result : { ...failure(result.fault, text, input.secrets), text };
}

/** Upstream joins them to the error by line ends. */
function withReferenceProblems(
  { ok, error }: Extract<RenderResult, { ok: false }>,
  problems: string,
): RenderResult {
  if (problems === '' || error.step !== 'execute') return { ok, error };
  const message = `${error.message} (${problems.replaceAll('\n', ', ')})`;
  return { ok, error: { ...error, message, text: `${error.text}\n${problems}` } };
}

/** Executes a template text on a prepared dot, as for a workflow (also used for templated BMC media URLs). */
export function renderText(
  { templateName, text }: NamedText,
  data: Value,
  { platform, secrets }: TextOptions = {},
): TextResult {
  const functions = functionsFor(platform);
  const parsed = parsedTemplate(text, functions);
  if (!parsed.ok) {
    return failure(templateFault(withNearNames(parsed.error), templateName, 'parse'), text, secrets);
  }
  const limits = { outputBytes: RENDERED_BYTES_MAX };
  const result = execute(parsed.template, data, { missingKey: 'error', limits });
  return result.ok ? result : failure(templateFault(result.error, templateName, 'execute'), text, secrets);
}

/**
 * Checks whether a template text parses and calls only functions that exist, and which images in it our agent
 * cannot run. Used when a Template is applied.
 */
export function validateTemplateText(
  text: string,
):
  | { readonly ok: true; readonly foreignImages?: readonly ForeignImage[] }
  | { readonly ok: false; readonly error: RenderError } {
  const parsed = parseTemplate(GO_TEMPLATE_NAME, text, { functions: TEMPLATE_FUNCTIONS });
  if (parsed.ok) {
    const foreignImages = foreignImagesIn(text);
    return foreignImages.length === 0 ? { ok: true } : { ok: true, foreignImages };
  }
  const error = withNearNames(parsed.error);
  const { message, line, column } = error;
  return failure(
    { step: 'parse', message, text: error.text, where: 'template', line, column },
    text,
    undefined,
  );
}

type Fault = Omit<RenderError, 'excerpt'>;

function failure(
  fault: Fault,
  source: string,
  secrets: readonly string[] | undefined,
): { readonly ok: false; readonly error: RenderError } {
  const excerpt = excerptOf(source, fault.line, fault.column);
  return { ok: false, error: maskSecrets({ ...fault, excerpt }, secrets ?? []) };
}

type ReadResult =
  | { readonly ok: true; readonly workflow: WorkflowDefinition; readonly text: string }
  | { readonly ok: false; readonly fault: Fault };

function readWorkflow(text: string): ReadResult {
  const parsed = parseYaml(text);
  if (!parsed.ok) return { ok: false, fault: yamlFault(parsed.error.message, parsed.error.position) };
  const [document] = parsed.documents;
  const decoded = decodeWorkflow(document);
  if (!decoded.ok) {
    const { message, position, path } = decoded.problem;
    return { ok: false, fault: yamlFault(message, position, path) };
  }
  const { workflow } = decoded;
  const problem = workflowProblem(workflow);
  if (problem !== undefined) {
    return { ok: false, fault: invalid(problem, document, 'validating workflow template: ') };
  }
  const worker = workerProblem(workflow);
  return worker === undefined
    ? { ok: true, workflow, text }
    : { ok: false, fault: invalid(worker, document, '') };
}

const functionsByPlatform = new WeakMap<TemplatePlatform, FunctionMap>();

function functionsFor(platform: TemplatePlatform | undefined): FunctionMap {
  if (platform === undefined) return TEMPLATE_FUNCTIONS;
  const known = functionsByPlatform.get(platform);
  if (known !== undefined) return known;
  const functions = templateFunctions(platform);
  functionsByPlatform.set(platform, functions);
  return functions;
}

/** Go only reports that the function does not exist. */
function withNearNames(error: TemplateError): TemplateError {
  const wrong = /^function "(.*)" not defined$/.exec(error.message)?.[1];
  const near = wrong === undefined ? [] : nearNames(wrong, [...TEMPLATE_FUNCTIONS.keys(), ...BUILTIN_NAMES]);
  if (near.length === 0) return error;
  const advice = `; did you mean ${near.join(', ')}?`;
  return { ...error, message: error.message + advice, text: error.text + advice };
}

function templateFault(error: TemplateError, templateName: string, step: RenderStep): Fault {
  const { message, line, column, expression } = error;
  // Upstream's limit is in the writer, whose error text/template passes on without a place.
  const inner = error.code === 'limit' && step === 'execute' ? message : error.text;
  const text = `failed to parse template with ID ${templateName}: err: ${inner}`;
  const blamed = expression === undefined ? {} : { expression };
  return { step, message, text, where: 'template', line, column, ...blamed };
}

function yamlFault(message: string, { line, column }: Position, path?: Path): Fault {
  const text = `parsing yaml data: err: yaml: line ${line}: ${message}`;
  const place = path === undefined ? {} : { path: pathText(path) };
  return { step: 'yaml', message, text, where: 'rendered', line, column, ...place };
}

function invalid(problem: WorkflowProblem, document: YamlNode | undefined, prefix: string): Fault {
  const { message, path } = problem;
  const { line, column } = document === undefined ? { line: 1, column: 1 } : positionOf(document, path);
  const text = prefix + message;
  return { step: 'validate', message, text, where: 'rendered', line, column, path: pathText(path) };
}

function pathText(path: Path): string {
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
  return text.replace(/^\./, '');
}
