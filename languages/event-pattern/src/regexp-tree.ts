/** Takes one character: a code point as text. */
export type CharacterTest = (character: string) => boolean;

export type RegexpNode =
  | { readonly kind: 'character'; readonly test: CharacterTest }
  | { readonly kind: 'sequence'; readonly items: readonly RegexpNode[] }
  | { readonly kind: 'choice'; readonly branches: readonly RegexpNode[] }
  | {
      readonly kind: 'repeat';
      readonly node: RegexpNode;
      readonly min: number;
      /** No end when absent. */
      readonly max: number | undefined;
    };

/** Thrown inside the parser of regular expressions. */
export class RegexpFault extends Error {
  /** Code points before the place. */
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}
