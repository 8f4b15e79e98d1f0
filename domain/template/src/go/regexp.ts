import { type CallContext, FunctionError, quote } from '@tinkerbell/go-template';
import { RE2JS, RE2JSSyntaxException } from 're2js';

/** The positions of a match and its groups. -1 is a group that did not take part. */
interface Match {
  readonly start: number;
  readonly end: number;
  readonly group: (name: string | number) => string;
}

/**
 * The number of characters that one unit of the meter's values pays for, per instruction of the pattern. A
 * scan takes at most characters times instructions (RE2), so this limits all scans of a rendering to seconds.
 */
const SCAN_SIZE = 16;

export type CompileResult =
  | { readonly ok: true; readonly regexp: GoRegexp }
  | { readonly ok: false; readonly error: string };

/** Compiles a pattern as Go's regexp.Compile, which has RE2's syntax and linear time. */
export function compileRegexp(pattern: string, context: CallContext): CompileResult {
  context.spend(pattern.length * 16);
  try {
    return { ok: true, regexp: new GoRegexp(pattern, compiled(pattern), context) };
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return { ok: false, error: error.message };
    throw error;
  }
}

/** The latest patterns. Templates use the same one repeatedly, and compiling takes longer than matching. */
const latest = new Map<string, RE2JS>();
const LATEST_MAX = 50;
const LATEST_LENGTH_MAX = 200;

function compiled(pattern: string): RE2JS {
  const known = latest.get(pattern);
  if (known !== undefined) return known;
  const re = RE2JS.compile(pattern);
  if (pattern.length > LATEST_LENGTH_MAX) return re;
  const [oldest] = latest.keys();
  if (latest.size >= LATEST_MAX && oldest !== undefined) latest.delete(oldest);
  latest.set(pattern, re);
  return re;
}

/** Like regexp.MustCompile. Throws FunctionError with its text. */
export function mustCompileRegexp(pattern: string, context: CallContext): GoRegexp {
  const compiled = compileRegexp(pattern, context);
  if (compiled.ok) return compiled.regexp;
  const shown = /^[^`\p{Cc}\ufeff]*$/u.test(pattern) ? `\`${pattern}\`` : quote(pattern);
  throw new FunctionError(`regexp: Compile(${shown}): ${compiled.error}`);
}

/** A compiled pattern with the searches of Go's regexp.Regexp. */
export class GoRegexp {
  readonly #pattern: string;
  readonly #re: RE2JS;
  readonly #context: CallContext;

  constructor(pattern: string, re: RE2JS, context: CallContext) {
    this.#pattern = pattern;
    this.#re = re;
    this.#context = context;
    context.spend(re.programSize() * 8);
  }

  matches(text: string): boolean {
    return this.#findFrom(text)(0) !== undefined;
  }

  /** Returns the first match, or undefined. */
  find(text: string): string {
    const match = this.#findFrom(text)(0);
    return match === undefined ? '' : text.slice(match.start, match.end);
  }

  /** Returns undefined where Go returns nil: nothing was found. A negative count means all. */
  findAll(text: string, count: number): string[] | undefined {
    const found = this.#all(text, count).map(({ start, end }) => text.slice(start, end));
    return found.length === 0 ? undefined : found;
  }

  split(text: string, count: number): string[] | undefined {
    if (count === 0) return undefined;
    if (this.#pattern !== '' && text === '') return [''];
    const parts: string[] = [];
    let from = 0;
    let end = 0;
    for (const match of this.#all(text, count)) {
      if (count > 0 && parts.length === count - 1) break;
      end = match.start;
      if (match.end !== 0) parts.push(text.slice(from, end));
      from = match.end;
    }
    if (end !== text.length) parts.push(text.slice(from));
    return parts;
  }

  replaceAll(text: string, replacement: (match: Match) => string): string {
    const find = this.#findFrom(text);
    const parts: string[] = [];
    let copied = 0;
    for (let at = 0; at <= text.length;) {
      const match = find(at);
      if (match === undefined) break;
      parts.push(text.slice(copied, match.start));
      if (match.end > copied || match.start === 0) {
        const part = replacement(match);
        this.#context.spend(part.length);
        parts.push(part);
      }
      copied = match.end;
      at = match.end > at ? match.end : at + runeWidth(text, at);
    }
    return parts.join('') + text.slice(copied);
  }

  /** Go accepts no empty match right after another match. */
  #all(text: string, count: number): Match[] {
    const find = this.#findFrom(text);
    const found: Match[] = [];
    let previousEnd = -1;
    const most = count < 0 ? Infinity : count;
    for (let at = 0; at <= text.length;) {
      const match = found.length < most ? find(at) : undefined;
      if (match === undefined) break;
      const isRefused = match.end === at && match.start === previousEnd;
      at = match.end === at ? at + runeWidth(text, at) : match.end;
      previousEnd = match.end;
      if (!isRefused) found.push(match);
    }
    this.#context.spend(found.length);
    return found;
  }

  #findFrom(text: string): (at: number) => Match | undefined {
    const matcher = this.#re.matcher(text);
    const size = this.#re.programSize();
    const names = this.#re.namedGroups();
    return (at) => {
      this.#context.spend(1 + Math.ceil(((text.length - at) * size) / SCAN_SIZE));
      if (!matcher.find(at)) return undefined;
      const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, i) => matcher.group(i) ?? '');
      return {
        start: matcher.start(),
        end: matcher.end(),
        group: (name) => groups[typeof name === 'number' ? name : (names[name] ?? -1)] ?? '',
      };
    };
  }
}

/** Reads the template of Go's Regexp.Expand once: `$1`, `${1}`, `${name}`, and `$$` for a dollar sign. */
export function replacementOf(template: string, context: CallContext): (match: Match) => string {
  const parts: (string | { readonly group: string | number })[] = [];
  let end = 0;
  for (const match of template.matchAll(/\$(?:\$|\{([\p{L}\p{Nd}_]+)\}|([\p{L}\p{Nd}_]+))/gu)) {
    const name = match[1] ?? match[2];
    parts.push(template.slice(end, match.index), name === undefined ? '$' : { group: groupOf(name) });
    end = match.index + match[0].length;
  }
  parts.push(template.slice(end));
  return (match) => {
    context.spend(parts.length * PART_SIZE);
    return parts.map((part) => (typeof part === 'string' ? part : match.group(part.group))).join('');
  };
}

/** The cost of inserting one part. It exceeds the cost of creating a short text. */
const PART_SIZE = 4;

function groupOf(name: string): string | number {
  return /^(?:0|[1-9][0-9]{0,8})$/.test(name) ? Number(name) : name;
}

/** Escapes the special characters of a pattern. */
export function quoteMeta(source: string): string {
  return source.replace(/[\\.+*?()|[\]{}^$]/g, (character) => `\\${character}`);
}

function runeWidth(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
