/**
 * YAML text becomes a tree of nodes that remember where they stand, so that every later error can say
 * line and column. Aliases are resolved under a limit; duplicate keys are refused; mappings have string
 * keys. Scalars keep both their text (what yaml.v3 puts into a Go string field) and their YAML 1.2 core value.
 */
import {
  Composer,
  isAlias,
  isMap,
  isScalar,
  LineCounter,
  Parser,
  type Alias,
  type Document,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { lexemesOf } from './lenient-lexer.ts';
import type { Position, YamlMap, YamlMapEntry, YamlNode, YamlScalar } from './node.ts';

/** Text longer than this is refused before parsing: 4 MiB, as Kubernetes' own limit of 3 MiB per request. */
export const YAML_TEXT_LIMIT = 4 * 1024 * 1024;
/** Nodes that one document may have after its aliases are resolved. */
const NODE_LIMIT = 200_000;
/** Nesting that one document may have. */
const DEPTH_LIMIT = 100;

export interface YamlError {
  readonly message: string;
  readonly position: Position;
}

export type ParsedYaml =
  | { readonly ok: true; readonly documents: readonly YamlNode[] }
  | { readonly ok: false; readonly error: YamlError };

/** All documents of `text` that are not empty. */
export function parseYaml(text: string): ParsedYaml {
  if (text.length > YAML_TEXT_LIMIT) {
    return failure(`text is longer than ${YAML_TEXT_LIMIT} characters`, { line: 1, column: 1 });
  }
  const lines = new LineCounter();
  const documents: YamlNode[] = [];
  for (const document of parsedDocuments(text, lines)) {
    const fault = document.errors[0];
    if (fault !== undefined) {
      return failure(fault.message, positionAt(lines, fault.pos[0]));
    }
    if (document.contents === null || isEmptyScalar(document.contents)) continue;
    try {
      documents.push(new TreeBuilder(document, lines).build(document.contents, 0));
    } catch (thrown) {
      if (thrown instanceof TreeError) return failure(thrown.message, thrown.position);
      throw thrown;
    }
  }
  return { ok: true, documents };
}

function parsedDocuments(text: string, lineCounter: LineCounter): readonly Document[] {
  const parser = new Parser(lineCounter.addNewLine);
  const composer = new Composer({ lineCounter, prettyErrors: false, uniqueKeys: true });
  function* tokens() {
    lineCounter.addNewLine(0);
    for (const lexeme of lexemesOf(text)) yield* parser.next(lexeme);
    yield* parser.end();
  }
  return [...composer.compose(tokens())];
}

function failure(message: string, position: Position): ParsedYaml {
  return { ok: false, error: { message, position } };
}

function isEmptyScalar(node: unknown): boolean {
  return isScalar(node) && node.value === null && (node.source ?? '') === '';
}

function positionAt(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

class TreeError extends Error {
  readonly position: Position;

  constructor(message: string, position: Position) {
    super(message);
    this.position = position;
  }
}

type SourceNode = Alias | Scalar | YAMLMap | YAMLSeq;

class TreeBuilder {
  readonly #document: Document;
  readonly #lines: LineCounter;
  #nodes = 0;

  constructor(document: Document, lines: LineCounter) {
    this.#document = document;
    this.#lines = lines;
  }

  build(node: SourceNode, depth: number): YamlNode {
    const position = this.#positionOf(node);
    this.#nodes += 1;
    if (this.#nodes > NODE_LIMIT) throw new TreeError(`more than ${NODE_LIMIT} nodes`, position);
    if (depth > DEPTH_LIMIT) throw new TreeError(`nested deeper than ${DEPTH_LIMIT}`, position);
    if (isAlias(node)) {
      const target = node.resolve(this.#document);
      if (target === undefined) throw new TreeError(`alias *${node.source} has no anchor`, position);
      return this.build(target, depth + 1);
    }
    if (isScalar(node)) return this.#scalar(node, position);
    if (isMap(node)) return this.#map(node, position, depth);
    const items = node.items.map((item) => this.build(item as SourceNode, depth + 1));
    return { kind: 'list', items, position };
  }

  #scalar(node: Scalar, position: Position): YamlScalar {
    const quoted = node.type !== 'PLAIN' && node.type !== undefined;
    const value = node.value;
    if (
      value === null ||
      typeof value === 'boolean' ||
      typeof value === 'number' ||
      typeof value === 'string'
    ) {
      const text = quoted && typeof value === 'string' ? value : (node.source ?? String(value));
      return { kind: 'scalar', value, text, quoted, position };
    }
    throw new TreeError(`value of type ${node.tag ?? typeof value} is not supported`, position);
  }

  #map(node: YAMLMap, position: Position, depth: number): YamlMap {
    const entries = new Map<string, YamlMapEntry>();
    for (const pair of node.items) {
      const key = this.#key(pair, position);
      if (key.text === '<<' && !key.quoted) {
        this.#merge(entries, this.build(pair.value as SourceNode, depth + 1));
      } else {
        const value = this.#value(pair, key, depth);
        entries.set(key.text, { key: key.text, keyPosition: key.position, value, merged: false });
      }
    }
    return { kind: 'map', entries, position };
  }

  #key(pair: Pair, mapPosition: Position): YamlScalar {
    if (!isScalar(pair.key)) throw new TreeError('a mapping key must be a scalar', mapPosition);
    return this.#scalar(pair.key, this.#positionOf(pair.key));
  }

  #value(pair: Pair, key: YamlScalar, depth: number): YamlNode {
    if (pair.value === null || pair.value === undefined) {
      return { kind: 'scalar', value: null, text: '', quoted: false, position: key.position };
    }
    return this.build(pair.value as SourceNode, depth + 1);
  }

  /** A merge key fills in what the mapping itself does not say. */
  #merge(entries: Map<string, YamlMapEntry>, source: YamlNode): void {
    const sources = source.kind === 'list' ? source.items : [source];
    for (const one of sources) {
      if (one.kind !== 'map') throw new TreeError('a merge key takes a mapping', one.position);
      for (const [key, entry] of one.entries) {
        if (!entries.has(key)) entries.set(key, { ...entry, merged: true });
      }
    }
  }

  #positionOf(node: { range?: readonly [number, number, number] | null | undefined }): Position {
    return positionAt(this.#lines, node.range?.[0] ?? 0);
  }
}
