import { isSpace, isUpper, lowerRune, upperRune } from './word-case.ts';

const NUMBER = /^\p{N}$/u;
const PUNCTUATION = /^\p{P}$/u;
const LETTER = /^\p{L}$/u;

type WordKind = 'none' | 'number' | 'upper' | 'letters' | 'connector' | 'punctuation' | 'other';

interface Word {
  readonly kind: WordKind;
  readonly runes: readonly string[];
}

/** Returns `someName` as `some_name` or `some-name` (xstrings.ToSnakeCase and ToKebabCase). */
export function lowerJoined(source: string, connector: '_' | '-'): string {
  return new LowerJoiner(wordsOf(Array.from(source)), connector).join();
}

/**
 * Joins words as xstrings does: which words belong together depends on the next one, and the one after it.
 */
class LowerJoiner {
  readonly #words: readonly Word[];
  readonly #connector: string;
  readonly #parts: string[] = [];
  #at = 0;

  constructor(words: readonly Word[], connector: string) {
    this.#words = words;
    this.#connector = connector;
  }

  join(): string {
    while (this.#at < this.#words.length - 1) {
      const word = this.#word();
      if (word.kind !== 'connector') this.#write(word);
      this.#at += 1;
      if (word.kind === 'number') this.#afterNumber();
      else if (word.kind === 'connector') this.#write(word);
      else if (word.kind !== 'punctuation') this.#afterLetters();
    }
    this.#write(this.#word());
    return this.#parts.join('');
  }

  #word(): Word {
    return this.#words[this.#at] ?? { kind: 'none', runes: [] };
  }

  #write({ kind, runes }: Word): void {
    const changes = kind === 'upper' || kind === 'connector';
    for (const rune of runes) {
      if (changes && isConnector(rune)) this.#parts.push(this.#connector);
      else this.#parts.push(changes && isUpper(rune) ? lowerRune(rune) : rune);
    }
  }

  #afterNumber(): void {
    this.#lettersAndNumbers();
    if (!['none', 'punctuation', 'connector'].includes(this.#word().kind)) this.#parts.push(this.#connector);
  }

  #afterLetters(): void {
    const word = this.#word();
    if (word.kind !== 'number') {
      if (word.kind !== 'connector' && word.kind !== 'punctuation') this.#parts.push(this.#connector);
      return;
    }
    if (this.#at === this.#words.length - 1) return;
    this.#at += 1;
    // A number before lower case letters begins a word. Otherwise it ends the previous one.
    if (this.#word().kind === 'letters') {
      this.#parts.push(this.#connector);
      this.#write({ kind: 'number', runes: word.runes });
      this.#afterNumber();
      return;
    }
    this.#write({ kind: 'number', runes: word.runes });
    if (this.#word().kind !== 'connector' && this.#word().kind !== 'punctuation')
      this.#parts.push(this.#connector);
  }

  #lettersAndNumbers(): void {
    while (this.#word().kind === 'letters' || this.#word().kind === 'number') {
      this.#write(this.#word());
      this.#at += 1;
    }
  }
}

function wordsOf(runes: readonly string[]): Word[] {
  const words: Word[] = [];
  for (let at = 0; at < runes.length;) {
    const word = wordAt(runes, at);
    words.push(word);
    at += word.runes.length;
  }
  return words;
}

function wordAt(runes: readonly string[], at: number): Word {
  const first = runes[at] ?? '';
  const cut = (kind: WordKind, belongs: (rune: string) => boolean): Word => {
    let end = at + 1;
    while (end < runes.length && belongs(runes[end] ?? '')) end += 1;
    return { kind, runes: runes.slice(at, end) };
  };
  if (isConnector(first)) return cut('connector', isConnector);
  if (PUNCTUATION.test(first)) return cut('punctuation', (rune) => PUNCTUATION.test(rune));
  if (isUpper(first)) return upperWord(runes, at, cut);
  if (isAlphabet(first)) return cut('letters', isLowerLetter);
  if (NUMBER.test(first)) return cut('number', (rune) => NUMBER.test(rune));
  return cut(
    'other',
    (rune) => !isConnector(rune) && !isAlphabet(rune) && !NUMBER.test(rune) && !PUNCTUATION.test(rune),
  );
}

type Cut = (kind: WordKind, belongs: (rune: string) => boolean) => Word;

/** Splits `HTTPStatus` into `HTTP` and `Status`: the last capital belongs to the letters after it. */
function upperWord(runes: readonly string[], at: number, cut: Cut): Word {
  const second = runes[at + 1] ?? '';
  if (isUpper(second)) {
    const word = cut('upper', isUpper);
    const next = runes[at + word.runes.length];
    return next !== undefined && isAlphabet(next) ? { ...word, runes: word.runes.slice(0, -1) } : word;
  }
  return isAlphabet(second) ? cut('upper', isLowerLetter) : { kind: 'upper', runes: [runes[at] ?? ''] };
}

/** Returns `some_name` as `SomeName` (xstrings.ToPascalCase). */
export function pascalCase(source: string): string {
  const runes = Array.from(source);
  const start = runes.findIndex((rune) => !isConnector(rune));
  // For a text of connectors only, xstrings writes the last one twice.
  if (start < 0) return source + (runes.at(-1) ?? '');
  const out = runes.slice(0, start);
  let inCapitals = isUpper(runes[start] ?? '');
  let current = upperRune(runes[start] ?? '');
  for (const rune of runes.slice(start + 1)) {
    const previous = current;
    current = rune;
    if (isConnector(current) && isConnector(previous)) {
      out.push(previous);
      continue;
    }
    if (isConnector(previous)) {
      inCapitals = isUpper(current);
      current = upperRune(current);
      continue;
    }
    if (inCapitals && isUpper(current)) current = lowerRune(current);
    else inCapitals = false;
    out.push(previous);
  }
  return [...out, current].join('');
}

function isConnector(rune: string): boolean {
  return rune === '-' || rune === '_' || isSpace(rune);
}

function isLowerLetter(rune: string): boolean {
  return isAlphabet(rune) && !isUpper(rune);
}

/**
 * Matches letters except those of Chinese, Japanese and Korean writing, which has no words of many letters.
 */
function isAlphabet(rune: string): boolean {
  if (!LETTER.test(rune)) return false;
  const code = rune.codePointAt(0) ?? 0;
  const isIdeograph =
    (code >= 0x4e00 && code <= 0x9fcc) ||
    (code >= 0x3400 && code <= 0x4d85) ||
    (code >= 0x20000 && code <= 0x2b81d);
  return !isIdeograph;
}
