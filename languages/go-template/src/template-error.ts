import { byteLength } from './go-string.ts';
import { quote } from './quoting.ts';

export type TemplateErrorCode = 'parse' | 'execute' | 'limit';

/**
 * Why a template could not be parsed or executed, and where. `text` is exactly what Go's error would print.
 * The other fields are for callers that show a place.
 */
export interface TemplateError {
  /** `limit`: a limit of this implementation was exceeded. Go would have accepted the template. */
  readonly code: TemplateErrorCode;
  /** The template that contains the place: the parsed one, or the `define` that was executing. */
  readonly name: string;
  /** Line, from 1. */
  readonly line: number;
  /** Column, from 1, in characters. */
  readonly column: number;
  /** The message, without the place. */
  readonly message: string;
  /** The expression that failed, in Go's normal form. Absent for parse errors. */
  readonly expression?: string;
  /** The whole text, as Go prints it. */
  readonly text: string;
}

/** Thrown inside this package. Its public functions convert it to a value. */
export class TemplateFailure extends Error {
  readonly error: TemplateError;

  constructor(error: TemplateError) {
    super(error.text);
    this.error = error;
  }
}

/** Returns line and column, both from 1, of an index into the source. */
export function sourcePosition(source: string, at: number): { line: number; column: number } {
  const before = source.slice(0, at);
  const lineStart = before.lastIndexOf('\n') + 1;
  let line = 1;
  for (const character of before) if (character === '\n') line += 1;
  return { line, column: Array.from(before.slice(lineStart)).length + 1 };
}

/** Builds a parse error. Go gives only the line, so its text has no column. */
export function parseError(place: {
  name: string;
  line: number;
  column: number;
  message: string;
  code?: TemplateErrorCode;
}): TemplateError {
  const { name, line, column, message, code = 'parse' } = place;
  return { code, name, line, column, message, text: `template: ${name}:${line}: ${message}` };
}

/** Builds an execution error. Go's column counts bytes from 0. */
export function executionError(place: {
  source: string;
  at: number;
  parseName: string;
  name: string;
  expression: string;
  message: string;
  code: TemplateErrorCode;
}): TemplateError {
  const { source, at, parseName, name, expression, message, code } = place;
  const { line, column } = sourcePosition(source, at);
  const bytes = byteLength(source.slice(source.lastIndexOf('\n', at - 1) + 1, at));
  const text = `template: ${parseName}:${line}:${bytes}: executing ${quote(name)} at <${expression}>: ${message}`;
  return { code, name, line, column, message, expression, text };
}
