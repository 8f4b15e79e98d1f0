/** Checks one value against the schema at its place, apart from the values inside it. */
import { isRecord } from '@tinkerbell/yaml/json';
import { isDeepEqual } from '../deep-equal.ts';
import type { Problem } from '../problem.ts';
import type { Schema } from '../schema.ts';
import { compilePattern } from './pattern.ts';
import { patternMessage } from './pattern-message.ts';
import type { Steps } from './steps.ts';

export type Fault = Pick<Problem, 'reason' | 'message'>;

/** What the check of a value may spend, and where it reports its faults. */
export interface KeywordCheck {
  readonly steps: Steps;
  readonly found: (fault: Fault) => void;
}

/** Calls `found` for each fault. The wording for values and limits is that of ajv, which was used before. */
export function keywordFaults(schema: Schema, value: unknown, check: KeywordCheck): void {
  const type = typeFault(schema, value);
  if (type !== undefined) {
    check.found(type);
    return;
  }
  if (value === null) return;
  enumFault(schema, value, check);
  if (typeof value === 'string') textFaults(schema, value, check);
  else if (typeof value === 'number') numberFaults(schema, value, check);
  else if (Array.isArray(value)) listFaults(schema, value, check);
  else if (isRecord(value)) objectFaults(schema, value, check);
}

function invalid(message: string): Fault {
  return { reason: 'invalid', message };
}

function numberOf(schema: Schema, keyword: string): number | undefined {
  const value = schema[keyword];
  return typeof value === 'number' ? value : undefined;
}

function typeFault(schema: Schema, value: unknown): Fault | undefined {
  const wanted = schema.type;
  if (wanted === undefined) return intOrStringFault(schema, value);
  if (typeof wanted === 'string' && isOfType(wanted, value)) return undefined;
  const types = typeof wanted === 'string' ? [wanted] : wanted;
  if ((value === null && schema['nullable'] === true) || types.some((type) => isOfType(type, value)))
    return undefined;
  const isUnquoted = wanted === 'string' && (typeof value === 'number' || typeof value === 'boolean');
  const hint = isUnquoted ? `; write "${String(value)}" in quotes` : '';
  return invalid(`must be ${types.map(withArticle).join(' or ')}${hint}`);
}

function withArticle(type: string): string {
  if (type === 'null') return type;
  return `${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`;
}

function intOrStringFault(schema: Schema, value: unknown): Fault | undefined {
  if (schema['x-kubernetes-int-or-string'] !== true || typeof value === 'string' || Number.isInteger(value))
    return undefined;
  return invalid('must be an integer or a string');
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'object':
      return isRecord(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

function enumFault(schema: Schema, value: unknown, { steps, found }: KeywordCheck): void {
  const allowed = schema['enum'];
  if (!Array.isArray(allowed)) return;
  steps.take(allowed.length);
  if (allowed.some((one) => isDeepEqual(one, value))) return;
  found({ reason: 'not-supported', message: `must be one of ${wordsOf(allowed)}` });
}

/** The number of allowed values in a message that may be one of a hundred. */
const WORDS_MAX = 20;
const WORDS_CHARACTERS_MAX = 1000;

function wordsOf(allowed: readonly unknown[]): string {
  const shown = allowed.slice(0, WORDS_MAX).map((one) => JSON.stringify(one));
  const words = shown.join(', ').slice(0, WORDS_CHARACTERS_MAX);
  return allowed.length > WORDS_MAX ? `${words} and ${allowed.length - WORDS_MAX} more` : words;
}

function textFaults(schema: Schema, value: string, check: KeywordCheck): void {
  const { found } = check;
  const [max, min] = [numberOf(schema, 'maxLength'), numberOf(schema, 'minLength')];
  // Length counts characters. A text has at most as many of them as units.
  if (max !== undefined && value.length > max && characters(value) > max)
    return found(invalid(`must NOT have more than ${max} characters`));
  if (min !== undefined && (value.length < min || characters(value) < min))
    found(invalid(`must NOT have fewer than ${min} characters`));
  patternFault(schema, value, check);
  formatFault(schema, value, check);
}

function characters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) if (!isSecondHalf(text.charCodeAt(at))) count += 1;
  return count;
}

function isSecondHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function patternFault(schema: Schema, value: string, { steps, found }: KeywordCheck): void {
  const source = schema['pattern'];
  if (typeof source !== 'string') return;
  const compiled = compilePattern(source);
  if (!compiled.ok)
    return found(invalid(`cannot be checked against ${source.slice(0, 200)}: ${compiled.fault}`));
  steps.take(compiled.pattern.stepsFor(value));
  const matches = compiled.pattern.matches(value);
  if (matches === undefined)
    found(
      invalid(
        `must be at most ${compiled.pattern.charactersMax} characters to be checked against its pattern`,
      ),
    );
  else if (!matches) found(invalid(patternMessage(source, value)));
}

const INT64_SAFE = Number.MAX_SAFE_INTEGER;

const formats: Readonly<Record<string, (value: unknown) => boolean>> = {
  int32: (value) => typeof value !== 'number' || (value >= -(2 ** 31) && value < 2 ** 31),
  int64: (value) => typeof value !== 'number' || Math.abs(value) <= INT64_SAFE,
  'date-time': (value) =>
    typeof value !== 'string' || /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(value),
  uri: (value) => typeof value !== 'string' || /^([a-z][a-z0-9+.-]*:\S+|\/\S*)$/i.test(value),
};

function formatFault(schema: Schema, value: unknown, { found }: KeywordCheck): void {
  const name = schema['format'];
  const format = typeof name === 'string' && Object.hasOwn(formats, name) ? formats[name] : undefined;
  if (format?.(value) === false) found(invalid(`must be a valid ${String(name)}`));
}

function numberFaults(schema: Schema, value: number, check: KeywordCheck): void {
  const { found } = check;
  formatFault(schema, value, check);
  // In Kubernetes an exclusive bound is `exclusiveMaximum: true` beside `maximum`. Elsewhere it is a number.
  const bounds: readonly [keyword: string, exclusive: string, sign: string, side: number][] = [
    ['maximum', 'exclusiveMaximum', '<', 1],
    ['minimum', 'exclusiveMinimum', '>', -1],
  ];
  for (const [keyword, exclusive, sign, side] of bounds) {
    const bound = numberOf(schema, keyword);
    const isStrict = schema[exclusive] === true;
    const beyond = bound === undefined ? 0 : (value - bound) * side;
    if (bound !== undefined && (beyond > 0 || (isStrict && beyond === 0)))
      found(invalid(`must be ${sign}${isStrict ? '' : '='} ${bound}`));
    const strict = numberOf(schema, exclusive);
    if (strict !== undefined && (value - strict) * side >= 0) found(invalid(`must be ${sign} ${strict}`));
  }
  const factor = numberOf(schema, 'multipleOf');
  if (factor !== undefined && !Number.isInteger(value / factor))
    found(invalid(`must be multiple of ${factor}`));
}

/** A number of items or properties, and the keywords that limit it. */
interface Size {
  readonly size: number;
  readonly max: string;
  readonly min: string;
  readonly what: string;
}

function sizeFaults(schema: Schema, { size, max, min, what }: Size, { found }: KeywordCheck): void {
  const [most, least] = [numberOf(schema, max), numberOf(schema, min)];
  if (most !== undefined && size > most) found(invalid(`must NOT have more than ${most} ${what}`));
  if (least !== undefined && size < least) found(invalid(`must NOT have fewer than ${least} ${what}`));
}

const itemCount = { max: 'maxItems', min: 'minItems', what: 'items' } as const;
const propertyCount = { max: 'maxProperties', min: 'minProperties', what: 'properties' } as const;

function listFaults(schema: Schema, value: readonly unknown[], check: KeywordCheck): void {
  const { steps, found } = check;
  sizeFaults(schema, { ...itemCount, size: value.length }, check);
  if (schema['uniqueItems'] !== true) return;
  steps.take(value.length * 10);
  const texts = new Set(value.map((item) => JSON.stringify(item)));
  if (texts.size < value.length) found(invalid('must NOT have duplicate items'));
}

function objectFaults(schema: Schema, value: Record<string, unknown>, check: KeywordCheck): void {
  if (schema['maxProperties'] === undefined && schema['minProperties'] === undefined) return;
  const { length: size } = Object.keys(value);
  check.steps.take(size);
  sizeFaults(schema, { ...propertyCount, size }, check);
}
