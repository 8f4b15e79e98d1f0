export interface Completion {
  /** The end of the text before the cursor, which a choice replaces. */
  readonly typed: string;
  readonly items: readonly { readonly text: string; readonly help: string }[];
}

/** Receives the text before the cursor. */
export type Complete = (before: string) => Completion | undefined;
