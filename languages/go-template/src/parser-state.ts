import type { TokenStream } from './token-stream.ts';
import type { Token } from './token.ts';

/** The part of the parser of statements that the parser of pipelines uses. */
export interface ParserState {
  readonly input: { readonly isFunction: (name: string) => boolean };
  readonly tokens: TokenStream;
  /** Stops with a parse error on Go's line for it. */
  fail(message: string): never;
  unexpected(token: Token, context: string): never;
  /** Runs a nested part, and refuses nesting beyond the limit. */
  nested<T>(parse: () => T): T;
}
