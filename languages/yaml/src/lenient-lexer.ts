/**
 * Lines within a quoted scalar may be indented as they like, as for yaml.v3 (and libyaml), which upstream reads templates
 * with. YAML 1.2 and the lexer we use want them further in than what is around them; templates in use are not.
 */
import { Lexer } from 'yaml';

/** What the lexer keeps to itself: how far in the next line has to be, and the reading of one quoted scalar. */
interface LexerInside {
  indentNext: number;
  parseQuotedScalar: () => Generator<string, string | undefined>;
}

export function lexemesOf(text: string): Iterable<string> {
  const lexer = new Lexer();
  const inside = lexer as unknown as LexerInside;
  const parseQuotedScalar = inside.parseQuotedScalar.bind(lexer);
  inside.parseQuotedScalar = function* () {
    const indentNext = inside.indentNext;
    inside.indentNext = 0;
    const next = yield* parseQuotedScalar();
    inside.indentNext = indentNext;
    return next;
  };
  return lexer.lex(text);
}
