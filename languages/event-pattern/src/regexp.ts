import { compileLinear, type LinearRegexp } from '@tinkerbell/linear-regexp';
import type { MatchSteps } from './match-steps.ts';
import { RegexpFault } from './regexp-fault.ts';
import { parseRegexp } from './regexp-parser.ts';

/**
 * Longer text matches no regular expression. Attributes of machines are much shorter, and time stays bounded.
 */
const REGEXP_TEXT_MAX = 4096;

/**
 * Returns true if the whole text matches, in time linear in the text for any expression (RE2). Throws
 * MatchTooLong.
 */
export type RegexpTest = (text: string, steps: MatchSteps) => boolean;

/** Parses an I-Regexp as quamina has it. Throws a RegexpFault. */
export function compileRegexp(text: string): RegexpTest {
  const regexp = regexpOf(parseRegexp(text));
  return (value, steps) => {
    if (value.length > REGEXP_TEXT_MAX) return false;
    // An instruction reads a character in 150 ns at worst, and usually in a hundredth of that.
    steps.take(1 + value.length * regexp.instructions);
    return regexp.isWhole(value);
  };
}

/** RE2 limits the product of nested counts to 1000. */
function regexpOf(source: string): LinearRegexp {
  const result = compileLinear(source, { dotAll: true });
  if (result.ok) return result.regexp;
  throw new RegexpFault(0, `expected an expression that RE2 accepts: ${result.fault}`);
}
