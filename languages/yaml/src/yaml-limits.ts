import type { JsonLimits } from './json-reader.ts';

/** `nodes` are those of all documents together, after their aliases are resolved. */
export interface YamlLimits extends JsonLimits {
  /** Characters of all scalars together, after aliases are resolved: what the tree takes when it is written out. */
  readonly characters: number;
}
