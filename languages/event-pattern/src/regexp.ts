import { RE2JS, RE2JSSyntaxException } from 're2js';
import type { MatchSteps } from './match-steps.ts';
import { RegexpFault } from './regexp-fault.ts';
import { parseRegexp } from './regexp-parser.ts';

/**
 * Longer text matches no regular expression. Attributes of machines are much shorter, and time stays bounded.
 */
const REGEXP_TEXT_MAX = 4096;
/** Larger programs are matched without the table, which takes up to 8 MB for each pattern. */
const TABLE_INSTRUCTIONS_MAX = 200;

/**
 * Returns true if the whole text matches, in time linear in the text for any expression (RE2). Throws
 * MatchTooLong.
 */
export type RegexpTest = (text: string, steps: MatchSteps) => boolean;

/** Parses an I-Regexp as quamina has it. Throws a RegexpFault. */
export function compileRegexp(text: string): RegexpTest {
  const program = programOf(parseRegexp(text));
  const instructions = program.programSize();
  const hasTable = instructions <= TABLE_INSTRUCTIONS_MAX;
  return (value, steps) => {
    if (value.length > REGEXP_TEXT_MAX) return false;
    // An instruction reads a character in 150 ns at worst, and usually in a hundredth of that.
    steps.take(1 + value.length * instructions);
    return hasTable ? program.testExact(value) : program.matcher(value).matches();
  };
}

/** RE2 limits the product of nested counts to 1000. */
function programOf(source: string): RE2JS {
  try {
    return RE2JS.compile(source, RE2JS.DOTALL);
  } catch (thrown) {
    if (!(thrown instanceof RE2JSSyntaxException)) throw thrown;
    throw new RegexpFault(0, `expected an expression that RE2 accepts: ${thrown.message}`);
  }
}
