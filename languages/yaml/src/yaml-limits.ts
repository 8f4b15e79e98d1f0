import type { JsonLimits } from './json-reader.ts';

/** `nodes` counts the nodes of all documents together, after their aliases are resolved. */
export interface YamlLimits extends JsonLimits {
  /**
   * The characters of all scalars together, after aliases are resolved. This is the size of the tree when it
   * is written out.
   */
  readonly characters: number;
}
