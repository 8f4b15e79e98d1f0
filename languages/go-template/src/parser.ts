import type { TemplateTree } from './ast.ts';
import { toWellFormedText } from './go-string.ts';
import { Lexer } from './lexer.ts';
import { DEFAULT_PARSE_LIMITS, type ParseLimits } from './limits.ts';
import { TreeParser } from './tree-parser.ts';
import { parseError, type TemplateError, TemplateFailure } from './template-error.ts';

export interface ParsedSource {
  readonly name: string;
  readonly source: string;
  readonly trees: ReadonlyMap<string, TemplateTree>;
}

/** Parses source into the main template and those that it defines. */
export function parseSource(
  name: string,
  text: string,
  options: { isFunction: (name: string) => boolean; limits?: Partial<ParseLimits> | undefined },
): { ok: true; parsed: ParsedSource } | { ok: false; error: TemplateError } {
  const limits = { ...DEFAULT_PARSE_LIMITS, ...options.limits };
  if (text.length > limits.sourceLength) {
    const message = `template source is longer than ${limits.sourceLength} characters`;
    return { ok: false, error: parseError({ name, line: 1, column: 1, message, code: 'limit' }) };
  }
  const source = toWellFormedText(text);
  const trees = new Map<string, TemplateTree>();
  const lexer = new Lexer(source, options);
  const parser = new TreeParser({
    name,
    parseName: name,
    source,
    lexer,
    trees,
    limits,
    isFunction: options.isFunction,
  });
  try {
    parser.parseAll();
  } catch (error) {
    if (error instanceof TemplateFailure) return { ok: false, error: error.error };
    throw error;
  }
  return { ok: true, parsed: { name, source, trees } };
}
