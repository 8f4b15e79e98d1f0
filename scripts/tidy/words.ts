/** Finds words that STYLE.md replaces, because they make a text read as if it were translated. */

interface OddWord {
  /** Matches within prose; a space matches any white space, also a line break within a comment. */
  readonly pattern: string;
  readonly instead: string;
}

/** Only words and phrases without a correct use in this project. */
const oddWords: readonly OddWord[] = [
  { pattern: 'mend(?:s|ed|ing)?', instead: 'fix' },
  { pattern: 'deeds?', instead: 'operation' },
  { pattern: 'shall', instead: 'must or will' },
  { pattern: 'lets? go of|letting go of', instead: 'drop' },
  { pattern: 'turn(?:s|ed|ing)? away', instead: 'reject' },
  { pattern: 'hand(?:s|ed|ing)? out', instead: 'assign' },
  { pattern: '(?<!there )is no(?= (?!longer))', instead: 'is not, or is invalid' },
  { pattern: '(?<!there )is none(?=[.,;:\'"`)]|$)', instead: 'is invalid' },
  { pattern: 'cannot be had', instead: 'is unreachable' },
  { pattern: '(?:is|stands) there twice', instead: 'is duplicated' },
  { pattern: 'of which it', instead: 'a sentence with a subject' },
  { pattern: 'who shows none', instead: 'without a token' },
  { pattern: '(?:go|goes|going|gone|went) on', instead: 'resume or continue' },
  { pattern: '(?:gives?|given|giving|gave) back', instead: 'return or release' },
  { pattern: '(?:takes?|taken|taking|took) away', instead: 'remove' },
  { pattern: 'tells|told', instead: 'report, log, send, print or return' },
];

/** These two quote the odd words. */
const QUOTING_FILES: readonly string[] = ['scripts/tidy/words.ts', 'scripts/tidy/tidy-rules.test.ts'];

/** Returns true for a file that must not contain odd words: a program or a page that does not quote them. */
export function mustBeClean(file: string): boolean {
  return /\.(tsx?|mjs|md)$/.test(file) && !QUOTING_FILES.includes(file);
}

/** Comments and literals. A regular expression with quotes is read wrongly, but only to the end of its line. */
const prose =
  /\/\/[^\n]*(?:\n\s*\/\/[^\n]*)*|\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`/g;
const odd = new RegExp(oddWords.map(({ pattern }) => `(\\b(?:${spaced(pattern)})(?!\\w))`).join('|'), 'gi');

function spaced(pattern: string): string {
  return pattern.replaceAll(' ', String.raw`(?:\s+\*\s+|\s+\/\/\s+|\s+(?![*\/]))`);
}

/** Returns `line: word; write ...` for each odd word in a Markdown text, or in the comments and strings of a program. */
export function oddWordsIn(file: string, text: string): string[] {
  const parts = file.endsWith('.md') ? [{ 0: text, index: 0 }] : [...text.matchAll(prose)];
  return parts.flatMap(({ 0: part, index }) =>
    [...part.matchAll(odd)].map((match) => {
      const line = text.slice(0, index + match.index).split('\n').length;
      const { instead } = oddWords[match.slice(1).findIndex((group) => group !== undefined)] ?? {};
      return `${line}: "${match[0].replaceAll(/\s+(?:\*\s+)?/g, ' ').trim()}"; write ${instead}`;
    }),
  );
}
