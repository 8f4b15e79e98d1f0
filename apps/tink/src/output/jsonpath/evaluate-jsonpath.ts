/** Evaluates a path on a value, and formats a template as text. A missing field yields nothing, as in kubectl. */
import { isDeepStrictEqual } from 'node:util';
import type { Comparison, Operand, Piece, Step } from './parse-jsonpath.ts';

/** Returns the text of the whole template. Several values of one expression are separated by spaces. */
export function renderJsonPath(pieces: readonly Piece[], root: unknown): string {
  return pieces.map((piece) => renderPiece(piece, root)).join('');
}

function renderPiece(piece: Piece, value: unknown): string {
  switch (piece.piece) {
    case 'text':
      return piece.text;
    case 'path':
      return valuesAt(piece.path, value).map(valueText).join(' ');
    case 'range':
      return valuesAt(piece.path, value)
        .map((one) => renderJsonPath(piece.body, one))
        .join('');
    default:
      return piece satisfies never;
  }
}

/** Formats a string as it is, and everything else as JSON. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Returns all values that the path finds. */
export function valuesAt(path: readonly Step[], root: unknown): readonly unknown[] {
  let found: readonly unknown[] = [root];
  for (const step of path) found = step.step === 'union' ? unionOf(step, found) : each(step, found);
  return found;
}

/** Evaluates one path after the other, each on all values, which is kubectl's order. */
function unionOf({ paths }: Union, values: readonly unknown[]): readonly unknown[] {
  return paths.flatMap((path) => values.flatMap((value) => valuesAt(path, value)));
}

type Union = Extract<Step, { step: 'union' }>;

function each(step: Exclude<Step, Union>, values: readonly unknown[]): readonly unknown[] {
  return values.flatMap((value) => stepInto(step, value));
}

function stepInto(step: Exclude<Step, Union>, value: unknown): readonly unknown[] {
  switch (step.step) {
    case 'field':
      return member(value, step.name);
    case 'wildcard':
      return childrenOf(value);
    case 'recursive':
      return containersIn(value);
    case 'index':
      return Array.isArray(value) ? present(value.at(step.index)) : [];
    case 'slice':
      return Array.isArray(value)
        ? value.slice(step.from, step.to).filter((_, index) => index % (step.by ?? 1) === 0)
        : [];
    case 'filter':
      return Array.isArray(value) ? value.filter((one) => passes(step, one)) : [];
    default:
      return step satisfies never;
  }
}

function member(value: unknown, name: string): readonly unknown[] {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return [];
  return present(Reflect.get(value, name));
}

function present(value: unknown): readonly unknown[] {
  return value === undefined ? [] : [value];
}

function childrenOf(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

/** Returns the value and all its descendants that have fields or items. */
function containersIn(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...childrenOf(value).flatMap(containersIn)];
}

function passes(filter: Extract<Step, { step: 'filter' }>, value: unknown): boolean {
  const left = operandValues(filter.left, value);
  if (filter.comparison === undefined || filter.right === undefined) return left.length > 0;
  const [first] = left;
  const [second] = operandValues(filter.right, value);
  return compares(first, filter.comparison, second);
}

function operandValues({ path, literal }: Operand, value: unknown): readonly unknown[] {
  return path === undefined ? [literal] : valuesAt(path, value);
}

function compares(left: unknown, comparison: Comparison, right: unknown): boolean {
  if (comparison === '==') return isDeepStrictEqual(left, right);
  if (left === undefined || right === undefined) return false;
  if (comparison === '!=') return !isDeepStrictEqual(left, right);
  const order = orderOf(left, right);
  if (order === undefined) return false;
  return { '<': order < 0, '<=': order <= 0, '>': order > 0, '>=': order >= 0 }[comparison];
}

/** Undefined unless both are numbers or both are texts. */
function orderOf(left: unknown, right: unknown): number | undefined {
  const isComparable =
    (typeof left === 'number' && typeof right === 'number') ||
    (typeof left === 'string' && typeof right === 'string');
  if (!isComparable) return undefined;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
