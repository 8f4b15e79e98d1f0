import { BUILTINS } from './builtins.ts';
import type { GoType } from './go-model.ts';
import { INTERFACE } from './go-type.ts';
import { functionValue } from './value.ts';
import type { CallContext, FunctionValue, Value } from './go-model.ts';

/** Functions by name, as passed to parse. */
export type FunctionMap = ReadonlyMap<string, FunctionValue>;

export interface FoundFunction {
  readonly value: FunctionValue;
  readonly isBuiltin: boolean;
}

/** The functions that a template can call: the caller's, and then Go's built-ins. */
export class FunctionTable {
  readonly #own: FunctionMap;

  constructor(own: FunctionMap = new Map()) {
    this.#own = own;
  }

  has(name: string): boolean {
    return this.#own.has(name) || BUILTINS.has(name);
  }

  find(name: string): FoundFunction | undefined {
    const own = this.#own.get(name);
    if (own !== undefined) return { value: own, isBuiltin: false };
    const builtin = BUILTINS.get(name);
    return builtin === undefined ? undefined : { value: builtin, isBuiltin: true };
  }
}

/** The signature and body of a function for a FunctionMap. */
export interface FunctionSpec {
  readonly params: readonly GoType[];
  /** The last parameter may be given any number of times. */
  readonly variadic?: boolean;
  /** The type in `%T` and in errors (default: interface{}). */
  readonly result?: GoType;
  /**
   * Receives arguments of the declared types. Throws FunctionError to fail like a Go function that returns an
   * error.
   */
  readonly call: (args: readonly Value[], context: CallContext) => Value;
}

/** Builds a function map from specifications by name. */
export function functionMap(specs: Readonly<Record<string, FunctionSpec>>): FunctionMap {
  return new Map(
    Object.entries(specs).map(([name, { params, variadic = false, result = INTERFACE, call }]) => [
      name,
      functionValue(name, { kind: 'func', params, variadic, result }, call),
    ]),
  );
}
