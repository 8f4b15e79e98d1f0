import { describeRune, quote } from './quoting.ts';
import { KEYWORDS, type Token, type TokenKind } from './token.ts';

/**
 * Splits template source into tokens, with Go's rules for delimiters, trim markers and comments
 * (text/template/parse/lex.go). Errors are tokens of kind `error`. After one the lexer only repeats it.
 */

const OPEN = '{{';
const CLOSE = '}}';
const WORD = /^[_\p{L}\p{Nd}]$/u;

export interface LexerOptions {
  /** `break` and `continue` are keywords only while no function has that name. */
  readonly isFunction: (name: string) => boolean;
}

export class Lexer {
  readonly #source: string;
  readonly #options: LexerOptions;
  #at = 0;
  #start = 0;
  #line = 1;
  #startLine = 1;
  #insideAction = false;
  #parenDepth = 0;
  #failure: Token | undefined;

  constructor(source: string, options: LexerOptions) {
    this.#source = source;
    this.#options = options;
  }

  /** Returns the next token. At the end it always returns `eof`. */
  next(): Token {
    for (;;) {
      if (this.#failure !== undefined) return this.#failure;
      const token = this.#insideAction ? this.#action() : this.#text();
      if (token !== undefined) return token;
    }
  }

  #text(): Token | undefined {
    const open = this.#source.indexOf(OPEN, this.#at);
    if (open < 0) {
      this.#moveTo(this.#source.length);
      return this.#emit(this.#at > this.#start ? 'text' : 'eof');
    }
    if (open > this.#at) {
      const text = this.#source.slice(this.#at, open);
      const trims = this.#opensWithTrim(open + OPEN.length);
      const kept = trims ? text.slice(0, trimmedLength(text)) : text;
      this.#moveTo(this.#at + kept.length);
      const token = this.#emit('text');
      this.#moveTo(open);
      this.#ignore();
      if (kept.length > 0) return token;
    }
    return this.#openDelimiter();
  }

  #openDelimiter(): Token | undefined {
    this.#moveTo(this.#at + OPEN.length);
    const afterMarker = this.#opensWithTrim(this.#at) ? 2 : 0;
    if (this.#source.startsWith('/*', this.#at + afterMarker)) {
      this.#moveTo(this.#at + afterMarker);
      this.#ignore();
      return this.#comment();
    }
    const token = this.#emit('left-delimiter');
    this.#insideAction = true;
    this.#parenDepth = 0;
    this.#moveTo(this.#at + afterMarker);
    this.#ignore();
    return token;
  }

  #comment(): Token | undefined {
    const end = this.#source.indexOf('*/', this.#at + 2);
    if (end < 0) return this.#fail('unclosed comment');
    this.#at = end + 2;
    const close = this.#closeAt(this.#at);
    if (close === undefined) return this.#fail('comment ends before closing delimiter');
    this.#at = this.#start;
    this.#moveTo(end + 2);
    this.#skipClose(close);
    this.#ignore();
    return undefined;
  }

  #action(): Token | undefined {
    const close = this.#closeAt(this.#at);
    if (close !== undefined) return this.#closeDelimiter(close);
    const codePoint = this.#source.codePointAt(this.#at);
    if (codePoint === undefined) return this.#fail('unclosed action');
    const character = String.fromCodePoint(codePoint);
    if (isSpace(character)) return this.#space();
    const token = this.#operator(character) ?? this.#literal(character);
    if (token !== undefined) return token;
    this.#at += character.length;
    if (codePoint >= 0x20 && codePoint < 0x7f) return this.#emit('char');
    return this.#fail(`unrecognized character in action: ${describeRune(codePoint)}`);
  }

  #closeDelimiter(close: 'plain' | 'trim'): Token {
    if (this.#parenDepth > 0) return this.#fail('unclosed left paren');
    if (close === 'trim') {
      this.#moveTo(this.#at + 2);
      this.#ignore();
    }
    this.#moveTo(this.#at + CLOSE.length);
    const token = this.#emit('right-delimiter');
    if (close === 'trim') this.#skipSpaces();
    this.#insideAction = false;
    this.#ignore();
    return token;
  }

  #operator(character: string): Token | undefined {
    const next = this.#source[this.#at + 1];
    switch (character) {
      case '=':
        return this.#take(1, 'assign');
      case ':':
        this.#at += 1;
        return next === '=' ? this.#take(1, 'declare') : this.#fail('expected :=');
      case '|':
        return this.#take(1, 'pipe');
      case '(':
        this.#parenDepth += 1;
        return this.#take(1, 'left-paren');
      case ')':
        this.#at += 1;
        this.#parenDepth -= 1;
        return this.#parenDepth < 0 ? this.#fail('unexpected right paren') : this.#emit('right-paren');
      default:
        return undefined;
    }
  }

  #literal(character: string): Token | undefined {
    if (character === '"') return this.#quoted('"', 'string', 'unterminated quoted string');
    if (character === "'") return this.#quoted("'", 'char-constant', 'unterminated character constant');
    if (character === '`') return this.#rawString();
    if (character === '$') return this.#fieldOrVariable('variable');
    if (character === '.') {
      const next = this.#source[this.#at + 1];
      return next !== undefined && !/[0-9]/.test(next) ? this.#fieldOrVariable('field') : this.#number();
    }
    if (/^[-+0-9]$/.test(character)) return this.#number();
    return WORD.test(character) ? this.#identifier() : undefined;
  }

  #space(): Token {
    const from = this.#at;
    while (isSpace(this.#source[this.#at])) this.#moveTo(this.#at + 1);
    if (this.#closeAt(this.#at - 1) === 'trim') {
      this.#moveTo(this.#at - 1);
      if (this.#at === from) return this.#closeDelimiter('trim');
    }
    return this.#emit('space');
  }

  #identifier(): Token {
    this.#skipWord();
    const bad = this.#badTerminator();
    if (bad !== undefined) return bad;
    const word = this.#source.slice(this.#start, this.#at);
    const keyword = KEYWORDS.get(word);
    if ((keyword === 'break' || keyword === 'continue') && this.#options.isFunction(word)) {
      return this.#emit('identifier');
    }
    if (keyword !== undefined) return this.#emit(keyword);
    return this.#emit(word === 'true' || word === 'false' ? 'bool' : 'identifier');
  }

  #fieldOrVariable(kind: 'field' | 'variable'): Token {
    this.#at += 1;
    if (this.#atTerminator()) return this.#emit(kind === 'variable' ? 'variable' : 'dot');
    this.#skipWord();
    return this.#badTerminator() ?? this.#emit(kind);
  }

  #skipWord(): void {
    for (;;) {
      const codePoint = this.#source.codePointAt(this.#at);
      if (codePoint === undefined) return;
      const character = String.fromCodePoint(codePoint);
      if (!WORD.test(character)) return;
      this.#at += character.length;
    }
  }

  #badTerminator(): Token | undefined {
    if (this.#atTerminator()) return undefined;
    return this.#fail(`bad character ${describeRune(this.#source.codePointAt(this.#at) ?? 0)}`);
  }

  #atTerminator(): boolean {
    const character = this.#source[this.#at];
    if (character === undefined || isSpace(character) || '.,|:)('.includes(character)) return true;
    return this.#source.startsWith(CLOSE, this.#at);
  }

  #quoted(delimiter: string, kind: TokenKind, failure: string): Token {
    for (this.#at += 1; ; this.#at += 1) {
      const character = this.#source[this.#at];
      if (character === '\\') this.#at += 1;
      const taken = this.#source[this.#at];
      if (taken === undefined || taken === '\n') return this.#fail(failure);
      if (character === delimiter) return this.#take(1, kind);
    }
  }

  #rawString(): Token {
    const end = this.#source.indexOf('`', this.#at + 1);
    if (end < 0) return this.#fail('unterminated raw quoted string');
    this.#moveTo(end + 1);
    return this.#emit('raw-string');
  }

  #number(): Token {
    if (!this.#scanNumber()) return this.#badNumber();
    const sign = this.#source[this.#at];
    if (sign !== '+' && sign !== '-') return this.#emit('number');
    // This would be the imaginary part of a complex constant, which is not supported here.
    this.#scanNumber();
    return this.#badNumber();
  }

  #badNumber(): Token {
    return this.#fail(`bad number syntax: ${quote(this.#source.slice(this.#start, this.#at))}`);
  }

  #scanNumber(): boolean {
    const shape =
      /[-+]?(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][-+]?[0-9_]*)?|0[oO][0-7_]*(?:\.[0-7_]*)?|0[bB][01_]*(?:\.[01_]*)?|[0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9_]*)?)i?/y;
    shape.lastIndex = this.#at;
    this.#at += shape.exec(this.#source)?.[0].length ?? 0;
    const codePoint = this.#source.codePointAt(this.#at);
    if (codePoint === undefined || !WORD.test(String.fromCodePoint(codePoint))) return true;
    this.#at += codePoint > 0xffff ? 2 : 1;
    return false;
  }

  #take(length: number, kind: TokenKind): Token {
    this.#at += length;
    return this.#emit(kind);
  }

  #emit(kind: TokenKind): Token {
    const token = {
      kind,
      text: this.#source.slice(this.#start, this.#at),
      at: this.#start,
      line: this.#startLine,
    };
    this.#ignore();
    return token;
  }

  #fail(message: string): Token {
    this.#failure = { kind: 'error', text: message, at: this.#start, line: this.#startLine };
    return this.#failure;
  }

  #ignore(): void {
    this.#start = this.#at;
    this.#startLine = this.#line;
  }

  /** Moves within the source and keeps the line count, forwards and backwards. */
  #moveTo(at: number): void {
    for (let i = this.#at; i < at; i++) if (this.#source[i] === '\n') this.#line += 1;
    for (let i = at; i < this.#at; i++) if (this.#source[i] === '\n') this.#line -= 1;
    this.#at = at;
  }

  #opensWithTrim(at: number): boolean {
    return this.#source[at] === '-' && isSpace(this.#source[at + 1]);
  }

  #closeAt(at: number): 'plain' | 'trim' | undefined {
    if (this.#source.startsWith(CLOSE, at)) return 'plain';
    const trims = isSpace(this.#source[at]) && this.#source.startsWith(`-${CLOSE}`, at + 1);
    return trims ? 'trim' : undefined;
  }

  #skipClose(close: 'plain' | 'trim'): void {
    this.#moveTo(this.#at + (close === 'trim' ? 2 : 0) + CLOSE.length);
    if (close === 'trim') this.#skipSpaces();
  }

  #skipSpaces(): void {
    while (isSpace(this.#source[this.#at])) this.#moveTo(this.#at + 1);
  }
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\r' || character === '\n';
}

function trimmedLength(text: string): number {
  let length = text.length;
  while (length > 0 && isSpace(text[length - 1])) length -= 1;
  return length;
}
