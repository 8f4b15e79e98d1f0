/**
 * Parses YAML text to a tree of nodes that know their position, so that every later error can state line and
 * column. Aliases are resolved, duplicate keys are refused, and mappings have string keys. Scalars keep both
 * their text (what yaml.v3 puts into a Go string field) and their YAML 1.2 core value. Time and memory grow
 * no faster than the text, because limits apply while the text is read, before a tree exists.
 */
import { Composer, isScalar, LineCounter, Parser, type Document } from 'yaml';
import { lexemesOf } from './lenient-lexer.ts';
import type { Position, YamlNode } from './node.ts';
import { positionAt, tooDeep, tooMany, TreeBuilder, TreeError } from './tree-builder.ts';
import type { YamlLimits } from './yaml-limits.ts';

/** Text longer than this is refused before parsing: 4 MiB, twice the limit of a request. */
export const YAML_TEXT_LIMIT = 4 * 1024 * 1024;

/** The limits for files. A directory of 10,000 Hardware in one file fits. */
const FILE_LIMITS: YamlLimits = { nodes: 200_000, depth: 100, keys: 200_000, characters: YAML_TEXT_LIMIT };
/** The lexemes of one node with its indentation, markers and line end. Comments and empty lines count too. */
const LEXEMES_PER_NODE = 10;
/** Tokens that the parser keeps open for each level: a collection, its item, and its key. */
const TOKENS_PER_LEVEL = 2;
/** The length of a parser's message, which may quote the text. */
const MESSAGE_CHARACTERS_MAX = 300;

export interface YamlError {
  readonly message: string;
  readonly position: Position;
}

export type ParsedYaml =
  | { readonly ok: true; readonly documents: readonly YamlNode[] }
  | { readonly ok: false; readonly error: YamlError };

/** Returns all documents of `text` that are not empty. */
export function parseYaml(text: string, limits: YamlLimits = FILE_LIMITS): ParsedYaml {
  if (text.length > YAML_TEXT_LIMIT) {
    return failure(`text is longer than ${YAML_TEXT_LIMIT} characters`, { line: 1, column: 1 });
  }
  const lines = new LineCounter();
  try {
    const builder = new TreeBuilder(lines, limits);
    const documents: YamlNode[] = [];
    for (const document of parsedDocuments(text, lines, limits)) {
      const fault = document.errors[0];
      if (fault !== undefined) return failure(fault.message, positionAt(lines, fault.pos[0]));
      if (document.contents === null || isEmptyScalar(document.contents)) continue;
      documents.push(builder.document(document.contents));
    }
    return { ok: true, documents };
  } catch (thrown) {
    if (thrown instanceof TreeError) return failure(thrown.message, thrown.position);
    throw thrown;
  }
}

function parsedDocuments(text: string, lineCounter: LineCounter, limits: YamlLimits): readonly Document[] {
  const parser = new Parser(lineCounter.addNewLine);
  // The composer compares every key with every other. The tree builder finds duplicates with a map.
  const composer = new Composer({ lineCounter, prettyErrors: false, uniqueKeys: false });
  const lexemesMax = limits.nodes * LEXEMES_PER_NODE;
  function* tokens() {
    lineCounter.addNewLine(0);
    let lexemes = 0;
    for (const lexeme of lexemesOf(text)) {
      lexemes += 1;
      if (lexemes > lexemesMax) throw tooMany(limits, positionAt(lineCounter, parser.offset));
      for (const token of parser.next(lexeme)) {
        // Only one fault is reported. There may be one for each line, and the parser slows down with each.
        if (token.type === 'error') throw new TreeError(token.message, positionAt(lineCounter, token.offset));
        yield token;
      }
      if (parser.stack.length > (limits.depth + 1) * TOKENS_PER_LEVEL)
        throw tooDeep(limits, positionAt(lineCounter, parser.offset));
    }
    yield* parser.end();
  }
  return [...composer.compose(tokens())];
}

function failure(message: string, position: Position): ParsedYaml {
  return { ok: false, error: { message: message.slice(0, MESSAGE_CHARACTERS_MAX), position } };
}

function isEmptyScalar(node: unknown): boolean {
  return isScalar(node) && node.value === null && (node.source ?? '') === '';
}
