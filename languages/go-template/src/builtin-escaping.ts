import { encodeUtf8, isEscapedByte } from './go-string.ts';
import { INTERFACE, STRING } from './go-type.ts';
import { sprint } from './printer.ts';
import { isPrintable } from './quoting.ts';
import { functionValue, indirect, stringValue } from './value.ts';
import type { CallContext, FunctionValue, Value } from './go-model.ts';

const HTML: ReadonlyMap<string, string> = new Map([
  ['\0', '\ufffd'],
  ['"', '&#34;'],
  ["'", '&#39;'],
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
]);
const SCRIPT: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ["'", "\\'"],
  ['"', '\\"'],
  ['<', '\\u003C'],
  ['>', '\\u003E'],
  ['&', '\\u0026'],
  ['=', '\\u003D'],
]);

/** The built-ins html, js and urlquery. */
export const ESCAPING_BUILTINS: readonly FunctionValue[] = [
  escaping('html', (text) => Array.from(text, (character) => HTML.get(character) ?? character).join('')),
  escaping('js', (text) => Array.from(text, escapeScript).join('')),
  escaping('urlquery', queryEscape),
];

/**
 * Escapes text for a URL query: spaces become `+`, and everything but letters, digits and `-_.~` is
 * percent-encoded.
 */
export function queryEscape(text: string): string {
  return Array.from(encodeUtf8(text), (byte) => {
    const character = String.fromCharCode(byte);
    if (/[A-Za-z0-9_.~-]/.test(character)) return character;
    return byte === 0x20 ? '+' : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}

function escaping(name: string, escape: (text: string) => string): FunctionValue {
  const type = { kind: 'func', params: [INTERFACE], variadic: true, result: STRING } as const;
  return functionValue(name, type, (args, context) => {
    const text = operandText(args, context);
    context.spend(text.length * 6);
    return stringValue(escape(text));
  });
}

function operandText(args: readonly Value[], context: CallContext): string {
  const [only] = args;
  if (args.length === 1 && only?.kind === 'string') return only.value;
  const printable = args.map((arg) => {
    const value = arg.kind === 'pointer' ? indirect(arg).value : arg;
    return value.kind === 'nil' ? stringValue('<no value>') : value;
  });
  return sprint(printable, context);
}

function escapeScript(character: string): string {
  const escaped = SCRIPT.get(character);
  if (escaped !== undefined) return escaped;
  const codePoint = character.codePointAt(0) ?? 0;
  if (isEscapedByte(codePoint)) return character;
  if (codePoint < 0x20) return `\\u00${codePoint.toString(16).toUpperCase().padStart(2, '0')}`;
  if (codePoint < 0x80 || isPrintable(codePoint)) return character;
  return `\\u${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
}
