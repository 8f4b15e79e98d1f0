/**
 * Converts the documents of the YAML library to a tree: aliases are resolved once, duplicate keys are refused, and sizes are
 * counted.
 */
import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  type Alias,
  type LineCounter,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { Position, YamlList, YamlMap, YamlMapEntry, YamlNode, YamlScalar } from './node.ts';
import type { YamlLimits } from './yaml-limits.ts';

export class TreeError extends Error {
  readonly position: Position;

  constructor(message: string, position: Position) {
    super(message);
    this.position = position;
  }
}

export function tooMany({ nodes }: YamlLimits, position: Position): TreeError {
  return new TreeError(`more than ${nodes} nodes`, position);
}

export function tooDeep({ depth }: YamlLimits, position: Position): TreeError {
  return new TreeError(`nested deeper than ${depth}`, position);
}

export function positionAt(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

type SourceNode = Alias | Scalar | YAMLMap | YAMLSeq;

/** The size of a node with its aliases expanded. */
interface Size {
  readonly nodes: number;
  readonly characters: number;
  /** 1 for a scalar. */
  readonly height: number;
}

interface Anchored extends Size {
  readonly node: YamlNode;
}

/** Builds the documents of one text. Throws a TreeError. */
export class TreeBuilder {
  readonly #lines: LineCounter;
  readonly #limits: YamlLimits;
  /** Undefined while the node of the anchor is being built. */
  readonly #anchors = new Map<string, Anchored | undefined>();
  #nodes = 0;
  #characters = 0;
  /** The height of the node that was built last. */
  #height = 0;

  constructor(lines: LineCounter, limits: YamlLimits) {
    this.#lines = lines;
    this.#limits = limits;
  }

  document(contents: unknown): YamlNode {
    this.#anchors.clear();
    return this.#built(contents, 0);
  }

  /** The library's types do not say that it composes only nodes. */
  #built(node: unknown, depth: number): YamlNode {
    if (isNode(node)) return this.#build(node, depth);
    throw new TreeError(`value of type ${typeof node} is not supported`, { line: 1, column: 1 });
  }

  #build(node: SourceNode, depth: number): YamlNode {
    const position = this.#positionOf(node);
    if (isAlias(node)) return this.#aliased(node, position, depth);
    const { anchor } = node;
    if (anchor === undefined) return this.#plain(node, position, depth);
    this.#anchors.set(anchor, undefined);
    const [nodes, characters] = [this.#nodes, this.#characters];
    const built = this.#plain(node, position, depth);
    this.#anchors.set(anchor, {
      node: built,
      nodes: this.#nodes - nodes,
      characters: this.#characters - characters,
      height: this.#height,
    });
    return built;
  }

  /**
   * Returns the node itself, not a copy. Its size is counted again, because everything that walks the tree
   * visits it again.
   */
  #aliased({ source }: Alias, position: Position, depth: number): YamlNode {
    const target = this.#anchors.get(source);
    if (target === undefined) {
      const isOpen = this.#anchors.has(source);
      throw new TreeError(
        isOpen ? `alias *${source} contains itself` : `alias *${source} has no anchor`,
        position,
      );
    }
    this.#count(target, position);
    if (depth + target.height > this.#limits.depth + 1) throw tooDeep(this.#limits, position);
    this.#height = target.height;
    return target.node;
  }

  #count({ nodes, characters }: Pick<Size, 'nodes' | 'characters'>, position: Position): void {
    this.#nodes += nodes;
    this.#characters += characters;
    if (this.#nodes > this.#limits.nodes) throw tooMany(this.#limits, position);
    if (this.#characters > this.#limits.characters)
      throw new TreeError(`more than ${this.#limits.characters} characters`, position);
  }

  #plain(node: Exclude<SourceNode, Alias>, position: Position, depth: number): YamlNode {
    if (depth > this.#limits.depth) throw tooDeep(this.#limits, position);
    if (isScalar(node)) {
      const scalar = this.#scalar(node, position);
      this.#height = 1;
      return scalar;
    }
    this.#count({ nodes: 1, characters: 0 }, position);
    return isMap(node) ? this.#map(node, position, depth) : this.#list(node, position, depth);
  }

  #list(node: YAMLSeq, position: Position, depth: number): YamlList {
    let height = 0;
    const items = node.items.map((item) => {
      const built = this.#built(item, depth + 1);
      height = Math.max(height, this.#height);
      return built;
    });
    this.#height = height + 1;
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
      this.#count({ nodes: 1, characters: text.length }, position);
      return { kind: 'scalar', value, text, quoted, position };
    }
    throw new TreeError(`value of type ${node.tag ?? typeof value} is not supported`, position);
  }

  #map(node: YAMLMap, position: Position, depth: number): YamlMap {
    const entries = new Map<string, YamlMapEntry>();
    let height = 0;
    let isMerged = false;
    for (const pair of node.items) {
      const key = this.#key(pair, position);
      const isMerge = key.text === '<<' && !key.quoted;
      if (isMerge ? isMerged : entries.get(key.text)?.merged === false)
        throw new TreeError('map keys must be unique', key.position);
      if (isMerge) {
        isMerged = true;
        this.#merge(entries, this.#built(pair.value, depth + 1));
      } else {
        const value = this.#value(pair, key, depth);
        entries.set(key.text, { key: key.text, keyPosition: key.position, value, merged: false });
      }
      height = Math.max(height, this.#height);
      if (entries.size > this.#limits.keys)
        throw new TreeError(`more than ${this.#limits.keys} keys in one map`, key.position);
    }
    this.#height = height + 1;
    return { kind: 'map', entries, position };
  }

  #key(pair: Pair, mapPosition: Position): YamlScalar {
    if (!isScalar(pair.key)) throw new TreeError('a mapping key must be a scalar', mapPosition);
    const key = this.#scalar(pair.key, this.#positionOf(pair.key));
    const { anchor } = pair.key;
    if (anchor !== undefined)
      this.#anchors.set(anchor, { node: key, nodes: 1, characters: key.text.length, height: 1 });
    return key;
  }

  #value(pair: Pair, key: YamlScalar, depth: number): YamlNode {
    if (pair.value === null || pair.value === undefined) {
      this.#height = 1;
      return { kind: 'scalar', value: null, text: '', quoted: false, position: key.position };
    }
    return this.#built(pair.value, depth + 1);
  }

  /**
   * A merge key adds fields that the mapping itself does not have. All fields that it reads count, also those
   * that it does not add.
   */
  #merge(entries: Map<string, YamlMapEntry>, source: YamlNode): void {
    const sources = source.kind === 'list' ? source.items : [source];
    for (const one of sources) {
      if (one.kind !== 'map') throw new TreeError('a merge key takes a mapping', one.position);
      for (const [key, entry] of one.entries) {
        this.#count({ nodes: 1, characters: 0 }, one.position);
        if (!entries.has(key)) entries.set(key, { ...entry, merged: true });
      }
    }
  }

  #positionOf(node: { range?: readonly [number, number, number] | null | undefined }): Position {
    return positionAt(this.#lines, node.range?.[0] ?? 0);
  }
}
