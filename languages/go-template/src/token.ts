import { byteLength } from './go-string.ts';
import { quote } from './quoting.ts';

export type TokenKind =
  | 'error'
  | 'bool'
  | 'char'
  | 'char-constant'
  | 'assign'
  | 'declare'
  | 'eof'
  | 'field'
  | 'identifier'
  | 'left-delimiter'
  | 'left-paren'
  | 'number'
  | 'pipe'
  | 'raw-string'
  | 'right-delimiter'
  | 'right-paren'
  | 'space'
  | 'string'
  | 'text'
  | 'variable'
  | KeywordKind;

export type KeywordKind =
  | 'dot'
  | 'block'
  | 'break'
  | 'continue'
  | 'define'
  | 'else'
  | 'end'
  | 'if'
  | 'nil'
  | 'range'
  | 'template'
  | 'with';

/** A piece of template source. `at` is an index into the source, and `line` counts from 1. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly at: number;
  readonly line: number;
}

const SHORT_BYTES = 10;

export const KEYWORDS: ReadonlyMap<string, KeywordKind> = new Map<string, KeywordKind>(
  (
    ['block', 'break', 'continue', 'define', 'else', 'end', 'if', 'nil', 'range', 'template', 'with'] as const
  ).map((word) => [word, word]),
);

/** Returns the token as Go names it in parse errors. */
export function describeToken(token: Token): string {
  if (token.kind === 'eof') return 'EOF';
  if (token.kind === 'error') return token.text;
  if (token.kind === 'dot' || KEYWORDS.get(token.text) === token.kind) return `<${token.text}>`;
  if (byteLength(token.text) <= SHORT_BYTES) return quote(token.text);
  return `${quote(Array.from(token.text).slice(0, SHORT_BYTES).join(''))}...`;
}
