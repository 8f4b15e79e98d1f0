import { evaluator } from './evaluate.ts';
import { Frame, type Execution, type MissingKey } from './frame.ts';
import { type FunctionMap, FunctionTable } from './function-table.ts';
import { toWellFormedText } from './go-string.ts';
import { DEFAULT_EXECUTE_LIMITS, type ExecuteLimits, type ParseLimits } from './limits.ts';
import { LimitExceeded, Meter } from './meter.ts';
import { type ParsedSource, parseSource } from './parser.ts';
import { quote } from './quoting.ts';
import { type TemplateError, TemplateFailure } from './template-error.ts';
import type { Value } from './go-model.ts';
import { walkList } from './walk.ts';

/** A parsed template, ready to execute any number of times. */
export interface Template {
  readonly name: string;
  /** The names of the templates in it: itself and those that it defines. */
  readonly defined: readonly string[];
  readonly parsed: ParsedSource;
  readonly functions: FunctionMap;
}

export interface ParseOptions {
  /** Functions besides Go's built-ins. A function with a built-in's name replaces it. */
  readonly functions?: FunctionMap;
  readonly limits?: Partial<ParseLimits>;
}

export interface ExecuteOptions {
  /** The result for a missing map key: `<no value>`, the element type's zero, or an error. */
  readonly missingKey?: MissingKey;
  readonly limits?: Partial<ExecuteLimits>;
  /** The template of the set to start with (default: the parsed one). */
  readonly start?: string;
}

export type ParseResult = { ok: true; template: Template } | { ok: false; error: TemplateError };
export type ExecuteResult = { ok: true; text: string } | { ok: false; error: TemplateError };

/** Parses a template. Fails on syntax errors, unknown functions and undefined variables, as Go's Parse does. */
export function parseTemplate(name: string, text: string, options: ParseOptions = {}): ParseResult {
  const functions = options.functions ?? new Map();
  const table = new FunctionTable(functions);
  const result = parseSource(name, text, {
    isFunction: (candidate) => table.has(candidate),
    limits: options.limits,
  });
  if (!result.ok) return result;
  const { parsed } = result;
  return { ok: true, template: { name, defined: [...parsed.trees.keys()], parsed, functions } };
}

/** Executes a template with the given dot. Never throws for anything that a template or its data can do. */
export function execute(template: Template, data: Value, options: ExecuteOptions = {}): ExecuteResult {
  const start = options.start ?? template.name;
  const tree = template.parsed.trees.get(start);
  if (tree === undefined) return { ok: false, error: missingTemplate(template, start) };
  const meter = new Meter({ ...DEFAULT_EXECUTE_LIMITS, ...options.limits });
  const execution: Execution = {
    parsed: template.parsed,
    functions: new FunctionTable(template.functions),
    missingKey: options.missingKey ?? 'default',
    meter,
    evaluator,
    current: undefined,
  };
  const frame = new Frame(execution, tree.name, { dot: data, templateDepth: 0 });
  execution.current = frame;
  try {
    walkList(frame, data, tree.root);
  } catch (error) {
    return { ok: false, error: errorOf(error, execution.current ?? frame) };
  }
  return { ok: true, text: toWellFormedText(meter.output) };
}

function errorOf(error: unknown, frame: Frame): TemplateError {
  if (error instanceof TemplateFailure) return error.error;
  if (error instanceof LimitExceeded) return frame.error(error.message, 'limit');
  // The engine's own limits (string length, stack) count as limits, whatever the caller has set.
  if (error instanceof RangeError) return frame.error(error.message, 'limit');
  throw error;
}

function missingTemplate(template: Template, start: string): TemplateError {
  const message = `no template ${quote(start)} associated with template ${quote(template.name)}`;
  return { code: 'execute', name: template.name, line: 1, column: 1, message, text: `template: ${message}` };
}
