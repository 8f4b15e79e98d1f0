import type { Lexer } from './lexer.ts';
import type { Token } from './token.ts';

const START: Token = { kind: 'eof', text: '', at: 0, line: 0 };

/**
 * Tokens with a look-ahead of three. The slots match Go's, because a parse error is reported on the line of
 * the token in slot 0, whichever token the parser was reading.
 */
export class TokenStream {
  readonly #lexer: Lexer;
  readonly #slots: [Token, Token, Token] = [START, START, START];
  #held = 0;

  constructor(lexer: Lexer) {
    this.#lexer = lexer;
  }

  get latest(): Token {
    return this.#slots[0];
  }

  next(): Token {
    if (this.#held > 0) this.#held -= 1;
    else this.#slots[0] = this.#lexer.next();
    return this.#slots[this.#held] ?? START;
  }

  nextNonSpace(): Token {
    for (;;) {
      const token = this.next();
      if (token.kind !== 'space') return token;
    }
  }

  backup(): void {
    this.#held += 1;
  }

  /** Puts the given token back in front of the one backed up. */
  backupTwo(token: Token): void {
    this.#slots[1] = token;
    this.#held = 2;
  }

  /** Puts two tokens back in front of the one backed up. `first` is returned first. */
  backupThree(first: Token, second: Token): void {
    this.#slots[1] = second;
    this.#slots[2] = first;
    this.#held = 3;
  }

  peek(): Token {
    const token = this.next();
    this.backup();
    return token;
  }

  peekNonSpace(): Token {
    const token = this.nextNonSpace();
    this.backup();
    return token;
  }
}
