/**
 * kubectl's JSONPath dialect (kubernetes.io/docs/reference/kubectl/jsonpath): text with expressions in braces, ranges,
 * and no regular expressions.
 */
import { usageFailure } from '../../failure.ts';

export type Literal = string | number | boolean | null;

export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=';

export interface Operand {
  readonly path?: readonly Step[];
  readonly literal?: Literal;
}

export type Step =
  | { readonly step: 'field'; readonly name: string }
  | { readonly step: 'wildcard' }
  | { readonly step: 'recursive' }
  | { readonly step: 'slice'; readonly from?: number; readonly to?: number; readonly by?: number }
  | { readonly step: 'index'; readonly index: number }
  | { readonly step: 'union'; readonly paths: readonly (readonly Step[])[] }
  | {
      readonly step: 'filter';
      readonly left: Operand;
      /** Without an operator, the left side must exist. */
      readonly comparison?: Comparison;
      readonly right?: Operand;
    };

export type Piece =
  | { readonly piece: 'text'; readonly text: string }
  | { readonly piece: 'path'; readonly path: readonly Step[] }
  | { readonly piece: 'range'; readonly path: readonly Step[]; readonly body: readonly Piece[] };

const TEMPLATE_LENGTH_MAX = 64 * 1024;
const RANGES_DEEP_MAX = 16;

/** Throws a usage failure with the position. Text without braces that starts with `.` or `$` is one path. */
export function parseJsonPath(template: string): readonly Piece[] {
  if (template.length > TEMPLATE_LENGTH_MAX)
    throw usageFailure(`jsonpath: longer than ${TEMPLATE_LENGTH_MAX} characters`);
  if (/^[.$[]/.test(template) && !template.includes('{'))
    return [{ piece: 'path', path: parsePath(template) }];
  const tokens = tokensOf(template);
  const { pieces, next } = piecesFrom(tokens, 0, 0);
  if (next < tokens.length) throw usageFailure('jsonpath: {end} without {range}');
  return pieces;
}

interface Token {
  readonly isText: boolean;
  readonly text: string;
}

function tokensOf(template: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < template.length) {
    const open = template.indexOf('{', at);
    if (open < 0) break;
    if (open > at) tokens.push({ isText: true, text: template.slice(at, open) });
    const close = closingAt(template, open);
    tokens.push({ isText: false, text: template.slice(open + 1, close).trim() });
    at = close + 1;
  }
  if (at < template.length) tokens.push({ isText: true, text: template.slice(at) });
  return tokens;
}

/** Returns the brace that ends an expression; ignores braces within quotes. */
function closingAt(template: string, open: number): number {
  let quote = '';
  for (let at = open + 1; at < template.length; at++) {
    const character = template[at] ?? '';
    if (character === '\\') at++;
    else if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '}') return at;
  }
  throw usageFailure(
    `jsonpath: "{" at column ${open + 1} is not closed`,
    'write expressions in braces: {.metadata.name}',
  );
}

function piecesFrom(
  tokens: readonly Token[],
  start: number,
  depth: number,
): { pieces: Piece[]; next: number } {
  if (depth > RANGES_DEEP_MAX)
    throw usageFailure(`jsonpath: ranges are nested deeper than ${RANGES_DEEP_MAX}`);
  const pieces: Piece[] = [];
  let at = start;
  for (; at < tokens.length; at++) {
    const { isText, text } = tokens[at] ?? { isText: true, text: '' };
    if (isText) pieces.push({ piece: 'text', text });
    else if (text === 'end') break;
    else if (/^range\s/.test(text)) {
      const inner = piecesFrom(tokens, at + 1, depth + 1);
      if (inner.next >= tokens.length) throw usageFailure(`jsonpath: {${text}} has no {end}`);
      pieces.push({ piece: 'range', path: parsePath(text.slice(5).trim()), body: inner.pieces });
      at = inner.next;
    } else pieces.push(expression(text));
  }
  return { pieces, next: at };
}

function expression(text: string): Piece {
  const literal = literalOf(text);
  return literal === undefined
    ? { piece: 'path', path: parsePath(text) }
    : { piece: 'text', text: String(literal) };
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

function literalOf(text: string): Literal | undefined {
  if (/^"([^"\\]|\\.)*"$/s.test(text) || /^'([^'\\]|\\.)*'$/s.test(text))
    return text.slice(1, -1).replace(/\\(.)/gs, (_, letter: string) => escapes[letter] ?? letter);
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return { true: true, false: false, null: null }[text];
}

/** Parses `.spec.interfaces[0].dhcp`, `{.x}`, `x.y`, `$.x`, `@`, the forms of --sort-by, columns and conditions. */
export function parsePath(text: string): readonly Step[] {
  const bare = /^\{(.*)\}$/s.exec(text.trim())?.[1] ?? text.trim();
  const steps: Step[] = [];
  const path = /^[\w-]/.test(bare) ? `.${bare}` : bare.replace(/^[$@]/, '');
  for (let at = 0; at < path.length;) {
    const { step, next } = stepAt(path, at, text);
    if (step !== undefined) steps.push(step);
    at = next;
  }
  return steps;
}

function stepAt(path: string, at: number, whole: string): { step?: Step; next: number } {
  if (path.startsWith('..', at))
    return { step: { step: 'recursive' }, next: /[[.]/.test(path[at + 2] ?? '.') ? at + 2 : at + 1 };
  if (path[at] === '.') {
    const name = /^(?:\\.|[^.[\]\\{}\s])*/s.exec(path.slice(at + 1))?.[0] ?? '';
    const next = at + 1 + name.length;
    if (name === '*') return { step: { step: 'wildcard' }, next };
    return name === '' ? { next: Math.max(next, at + 1) } : { step: fieldOf(name), next };
  }
  if (path[at] === '[') {
    const close = bracketEnd(path, at, whole);
    return { step: bracketStep(path.slice(at + 1, close).trim(), whole), next: close + 1 };
  }
  throw unreadable(whole, `${JSON.stringify(path.slice(at, at + 10))} is not part of a path`);
}

function fieldOf(name: string): Step {
  return { step: 'field', name: name.replace(/\\(.)/gs, '$1') };
}

function bracketEnd(path: string, open: number, whole: string): number {
  let depth = 0;
  let quote = '';
  for (let at = open; at < path.length; at++) {
    const character = path[at] ?? '';
    if (character === '\\') at++;
    else if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '[') depth++;
    else if (character === ']' && --depth === 0) return at;
  }
  throw unreadable(whole, '"[" is not closed');
}

function bracketStep(inner: string, whole: string): Step {
  const filter = /^\?\((.*)\)$/s.exec(inner);
  if (filter !== null) return filterStep(filter[1] ?? '', whole);
  if (inner === '*') return { step: 'wildcard' };
  if (/^-?\d+$/.test(inner)) return { step: 'index', index: Number(inner) };
  const slice = /^(-?\d+)?:(-?\d+)?(?::(\d+))?$/.exec(inner);
  if (slice !== null) return { step: 'slice', ...bounds(slice) };
  const parts = splitOutside(inner, ',');
  if (parts.length > 1) return { step: 'union', paths: parts.map((part) => memberPath(part.trim(), whole)) };
  return { step: 'union', paths: [memberPath(inner, whole)] };
}

function bounds([, from, to, by]: RegExpExecArray): { from?: number; to?: number; by?: number } {
  if (by !== undefined && Number(by) < 1)
    throw usageFailure('jsonpath: the step of a slice must be at least 1');
  return {
    ...(from === undefined ? {} : { from: Number(from) }),
    ...(to === undefined ? {} : { to: Number(to) }),
    ...(by === undefined ? {} : { by: Number(by) }),
  };
}

/** `'metadata.name'` in brackets is a path; write a dot in a name as `\.`, as in kubectl. */
function memberPath(part: string, whole: string): readonly Step[] {
  const quoted = /^'(.*)'$|^"(.*)"$/s.exec(part);
  if (quoted !== null) return parsePath(`.${quoted[1] ?? quoted[2] ?? ''}`);
  if (/^-?\d+$/.test(part)) return [{ step: 'index', index: Number(part) }];
  throw unreadable(whole, `[${part}] is not a number, slice, filter or quoted name`);
}

function filterStep(text: string, whole: string): Step {
  const [left, comparison, right] = splitComparison(text);
  if (comparison === undefined) return { step: 'filter', left: operand(left, whole) };
  return { step: 'filter', left: operand(left, whole), comparison, right: operand(right ?? '', whole) };
}

/** The longer ones first. */
const comparisons: readonly Comparison[] = ['==', '!=', '<=', '>=', '<', '>'];

function splitComparison(text: string): [left: string, comparison?: Comparison, right?: string] {
  const at = outsideAt(text, /==|!=|<=|>=|<|>/y);
  if (at === undefined) return [text];
  const sign = comparisons.find((one) => text.startsWith(one, at));
  if (sign === undefined) return [text];
  return [text.slice(0, at), sign, text.slice(at + sign.length)];
}

function operand(text: string, whole: string): Operand {
  const trimmed = text.trim();
  if (trimmed === '') throw unreadable(whole, 'a filter must compare two values: ?(@.name=="x")');
  const literal = literalOf(trimmed);
  return literal === undefined ? { path: parsePath(trimmed) } : { literal };
}

function splitOutside(text: string, separator: string): readonly string[] {
  const at = outsideAt(text, new RegExp(separator, 'y'));
  if (at === undefined) return [text];
  return [text.slice(0, at), ...splitOutside(text.slice(at + separator.length), separator)];
}

/** Returns where the pattern first matches outside of quotes and brackets. */
function outsideAt(text: string, pattern: RegExp): number | undefined {
  let quote = '';
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    pattern.lastIndex = at;
    if (character === '\\') at++;
    else if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '[') depth++;
    else if (character === ']') depth--;
    else if (depth === 0 && pattern.test(text)) return at;
  }
  return undefined;
}

function unreadable(path: string, why: string): Error {
  return usageFailure(`jsonpath ${JSON.stringify(path)}: ${why}`);
}
