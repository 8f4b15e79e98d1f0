/** Finds the lines of the problems that the server reports. Pure. */
import { parseYaml, positionOf, type Path } from '@tinkerbell/yaml';
import type { ApiFailure } from '../api/request.ts';

export interface LineProblem {
  /** From 1. */
  readonly line: number;
  readonly field: string;
  readonly message: string;
}

export function problemsAtLines(
  text: string,
  { message, causes }: Pick<ApiFailure, 'message' | 'causes'>,
): readonly LineProblem[] {
  const parsed = parseYaml(text);
  if (!parsed.ok) return [{ line: parsed.error.position.line, field: '', message: parsed.error.message }];
  const [document] = parsed.documents;
  if (causes.length === 0 || document === undefined) return [{ line: lineIn(message), field: '', message }];
  return causes.map((cause) => {
    const base = positionOf(document, pathIn(cause.field)).line;
    return { line: base + inner(text, base, cause.message), field: cause.field, message: cause.message };
  });
}

/** The problem has a line of the text in its field. Returns it with the line of the whole text. */
export function problemInBlock(text: string, { field, line, message }: LineProblem): LineProblem {
  const parsed = parseYaml(text);
  const [document] = parsed.ok ? parsed.documents : [];
  const base = document === undefined ? 1 : positionOf(document, pathIn(field)).line;
  return { line: base + (isBlockAt(text, base) ? line : 0), field, message };
}

/** `spec.interfaces[0].dhcp.mac` and `metadata.labels["a.b"]` as steps. */
export function pathIn(field: string): Path {
  const steps = field.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.[\]]+)/g);
  return [...steps].map(
    ([, quoted, index, name]) => quoted ?? (index === undefined ? (name ?? '') : Number(index)),
  );
}

/** Problems inside a template name a line of its text, which starts below `data: |`. */
function inner(text: string, line: number, message: string): number {
  return isBlockAt(text, line) ? lineIn(message, 0) : 0;
}

function isBlockAt(text: string, line: number): boolean {
  return /:\s*[|>][+-]?\d*\s*$/.test(text.split('\n')[line - 1] ?? '');
}

function lineIn(message: string, otherwise = 1): number {
  const found = /\b(?:line |template:\w*:|^)(\d+)\b/.exec(message)?.[1];
  return found === undefined ? otherwise : Number(found);
}
