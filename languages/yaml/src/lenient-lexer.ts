/**
 * Lines within a quoted scalar may have any indentation, as in yaml.v3 (and libyaml), with which upstream
 * reads templates. YAML 1.2 and our lexer require more indentation than around the scalar. Templates in use
 * do not have it.
 */
import { Lexer } from 'yaml';

/**
 * Private parts of the lexer: the required indentation of the next line, and the reading of one quoted
 * scalar.
 */
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
