/** Both count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface YamlScalar {
  readonly kind: 'scalar';
  /** YAML 1.2 core value. */
  readonly value: string | number | boolean | null;
  /** The text as written, unquoted: `0644` stays `0644`. */
  readonly text: string;
  readonly quoted: boolean;
  readonly position: Position;
}

export interface YamlList {
  readonly kind: 'list';
  readonly items: readonly YamlNode[];
  readonly position: Position;
}

export interface YamlMapEntry {
  readonly key: string;
  readonly keyPosition: Position;
  readonly value: YamlNode;
  /** True when it came through a merge key. */
  readonly merged: boolean;
}

export interface YamlMap {
  readonly kind: 'map';
  readonly entries: ReadonlyMap<string, YamlMapEntry>;
  readonly position: Position;
}

export type YamlNode = YamlScalar | YamlList | YamlMap;

export type Path = readonly (string | number)[];

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** Returns the node as JSON. Objects are plain, and a key named `__proto__` is an ordinary own property. */
export function toJson(node: YamlNode): Json {
  switch (node.kind) {
    case 'scalar':
      return node.value;
    case 'list':
      return node.items.map(toJson);
    case 'map':
      return Object.fromEntries([...node.entries].map(([key, entry]) => [key, toJson(entry.value)]));
  }
}

/**
 * Returns the position of `path` in the text: that of the key of its last element, or of the nearest ancestor
 * that exists (a missing field is reported where it should have been).
 */
export function positionOf(node: YamlNode, path: Path): Position {
  let current = node;
  let position = node.position;
  for (const step of path) {
    if (current.kind === 'map') {
      const entry = current.entries.get(String(step));
      if (entry === undefined) return position;
      position = entry.keyPosition;
      current = entry.value;
    } else if (current.kind === 'list') {
      const item = current.items[Number(step)];
      if (item === undefined) return position;
      position = item.position;
      current = item;
    } else {
      return position;
    }
  }
  return position;
}

/** Returns the node at `path`, or undefined. */
export function nodeAt(node: YamlNode, path: Path): YamlNode | undefined {
  let current: YamlNode | undefined = node;
  for (const step of path) {
    if (current?.kind === 'map') current = current.entries.get(String(step))?.value;
    else if (current?.kind === 'list') current = current.items[Number(step)];
    else return undefined;
  }
  return current;
}
