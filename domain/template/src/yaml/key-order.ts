const LETTER = /^\p{L}$/u;
const DIGIT = /^\p{Nd}$/u;

/** Orders map keys as go-yaml does: letters after other characters, and numbers in keys by their value. */
export function compareYamlKeys(left: string, right: string): number {
  const a = Array.from(left);
  const b = Array.from(right);
  let digits = false;
  for (let i = 0; i < a.length && i < b.length; i++) {
    const [x = '', y = ''] = [a[i], b[i]];
    if (x === y) {
      digits = DIGIT.test(x);
      continue;
    }
    const xIsLetter = LETTER.test(x);
    const yIsLetter = LETTER.test(y);
    if (xIsLetter !== yIsLetter) return xIsLetter === digits ? -1 : 1;
    return xIsLetter ? codePoint(x) - codePoint(y) : compareNumbers(a, b, i);
  }
  return a.length - b.length;
}

function compareNumbers(a: readonly string[], b: readonly string[], at: number): number {
  const [x = '', y = ''] = [a[at], b[at]];
  // Zeros in the middle of a number count. A leading one comes before the digits that are already equal.
  const lead = (x === '0' || y === '0') && /[1-9][0-9]*$/.test(a.slice(0, at).join('')) ? '1' : '';
  const left = digitsFrom(a, at);
  const right = digitsFrom(b, at);
  const difference = BigInt(`0${lead}${left}`) - BigInt(`0${lead}${right}`);
  if (difference !== 0n) return difference < 0n ? -1 : 1;
  return left.length - right.length || codePoint(x) - codePoint(y);
}

function digitsFrom(characters: readonly string[], at: number): string {
  return /^[0-9]*/.exec(characters.slice(at).join(''))?.[0] ?? '';
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}
