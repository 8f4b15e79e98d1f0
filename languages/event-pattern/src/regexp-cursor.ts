import { RegexpFault } from './regexp-fault.ts';

/** Reads a text by code points. */
export class RegexpCursor {
  readonly #characters: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#characters = Array.from(text);
  }

  peek(): string | undefined {
    return this.#characters[this.#at];
  }

  take(): string | undefined {
    return this.#characters[this.#at++];
  }

  takeIf(character: string): boolean {
    if (this.peek() !== character) return false;
    this.#at++;
    return true;
  }

  atEnd(): boolean {
    return this.#at >= this.#characters.length;
  }

  fault(message: string): RegexpFault {
    return new RegexpFault(Math.min(this.#at, this.#characters.length), message);
  }
}

/** Returns a code point that matches itself in RE2, also in a class. */
export function literal(character: string): string {
  if (/^[A-Za-z0-9]$/.test(character)) return character;
  return `\\x{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
