/**
 * Maps a position in the content of a YAML scalar to its file. A template is text inside `spec.data`. Its errors count
 * lines and columns from the start of that text, and users count from the start of the file.
 *
 * A literal block (`|`) keeps its lines, so only header and indent are added. Every other style moves white space but keeps all
 * other characters in order: the n-th character of the content is the n-th of the source.
 */
import type { Position } from '@tinkerbell/yaml';

export interface ScalarPlace {
  /** The whole file. */
  readonly source: string;
  /** Offset where the scalar starts: its quote, its first character, or the `|` or `>` of a block. */
  readonly start: Position;
  /** The scalar's value. */
  readonly content: string;
}

/**
 * Returns line and column in the file, from 1. A position past the end becomes the end. `at` counts code points, like
 * templates do.
 */
export function positionInFile(scalar: ScalarPlace, at: Position): Position {
  const lines = scalar.source.split('\n');
  const startOffset = offsetOf(lines, scalar.start);
  const indicator = scalar.source[startOffset];
  if (indicator === '|') return inLiteral(scalar, lines, at);
  const tokens = tokensOf(scalar.source, startOffset, indicator);
  const wanted = visibleBefore(scalar.content, at);
  return positionAt(scalar.source, offsetOfVisible(tokens, wanted) ?? startOffset);
}

function inLiteral({ start, content }: ScalarPlace, lines: readonly string[], at: Position): Position {
  const contentLines = content.replace(/\n$/, '').split('\n');
  const line = Math.min(at.line, contentLines.length);
  const contentLine = contentLines[line - 1] ?? '';
  const sourceLine = (lines[start.line + line - 1] ?? '').replace(/\r$/, '');
  const indent = Math.max(0, sourceLine.length - contentLine.length);
  const before = line < at.line ? contentLine : leading(contentLine, at.column - 1);
  return { line: start.line + line, column: indent + before.length + 1 };
}

/** Returns the first `count` code points. */
function leading(text: string, count: number): string {
  return Array.from(text).slice(0, count).join('');
}

function visibleBefore(content: string, at: Position): number {
  const lines = content.split('\n');
  const before = [...lines.slice(0, at.line - 1), leading(lines[at.line - 1] ?? '', at.column - 1)].join(
    '\n',
  );
  return visible(before).length;
}

function visible(text: string): string {
  return text.replace(/\s/g, '');
}

interface Token {
  readonly offset: number;
  /** The text of the token in the content. */
  readonly text: string;
}

/** Returns the last token's offset if there are fewer visible characters than `wanted`. */
function offsetOfVisible(tokens: Iterable<Token>, wanted: number): number | undefined {
  let seen = 0;
  let last: number | undefined;
  for (const { offset, text } of tokens) {
    const count = visible(text).length;
    if (count === 0) continue;
    last = offset;
    seen += count;
    if (seen > wanted) break;
  }
  return last;
}

function tokensOf(source: string, start: number, indicator: string | undefined): Iterable<Token> {
  switch (indicator) {
    case '"':
      return doubleQuoted(source, start + 1);
    case "'":
      return singleQuoted(source, start + 1);
    case '>':
      return plain(source, source.indexOf('\n', start));
    default:
      return plain(source, start);
  }
}

function* plain(source: string, start: number): Iterable<Token> {
  for (let offset = start; offset < source.length; offset++) yield { offset, text: source[offset] ?? '' };
}

function* singleQuoted(source: string, start: number): Iterable<Token> {
  for (let offset = start; offset < source.length; offset++) {
    const text = source[offset] ?? '';
    if (text !== "'") yield { offset, text };
    else if (source[offset + 1] === "'") yield { offset: offset++, text };
    else return;
  }
}

function* doubleQuoted(source: string, start: number): Iterable<Token> {
  for (let offset = start; offset < source.length && source[offset] !== '"';) {
    const token = source[offset] === '\\' ? escapeAt(source, offset) : plainToken(source, offset);
    yield { offset, text: token.text };
    offset += token.length;
  }
}

function plainToken(source: string, offset: number): { text: string; length: number } {
  return { text: source[offset] ?? '', length: 1 };
}

const hexDigits: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
/** Escapes of white space. All other one-letter escapes produce one visible character (YAML 1.2 §5.7). */
const blankEscapes = new Set([' ', 't', '\t', 'n', 'v', 'f', 'r', '_', 'L', 'P', '\n', '\r']);

function escapeAt(source: string, offset: number): { text: string; length: number } {
  const letter = source[offset + 1] ?? '';
  const digits = hexDigits[letter];
  if (digits === undefined) return { text: blankEscapes.has(letter) ? '' : 'x', length: 2 };
  const code = Number.parseInt(source.slice(offset + 2, offset + 2 + digits), 16);
  return { text: String.fromCodePoint(code <= 0x10ffff ? code : 0xfffd), length: 2 + digits };
}

function offsetOf(lines: readonly string[], { line, column }: Position): number {
  let offset = column - 1;
  for (const text of lines.slice(0, line - 1)) offset += text.length + 1;
  return offset;
}

function positionAt(source: string, offset: number): Position {
  const before = source.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - lineStart + 1 };
}
