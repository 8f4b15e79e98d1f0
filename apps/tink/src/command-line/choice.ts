/** The ways to choose objects of a kind. */
export interface Choice {
  readonly names: readonly string[];
  /** `--selector` */
  readonly selector?: string | undefined;
  readonly all?: boolean | undefined;
}

/** Returns whether objects are chosen in exactly one way. An empty selector is invalid, because it would select all. */
export function isOneChoice({ names, selector, all = false }: Choice): boolean {
  return selector !== '' && [names.length > 0, selector !== undefined, all].filter(Boolean).length === 1;
}
