import {
  type CallContext,
  indirect,
  isTrue,
  LimitExceeded,
  type MapValue,
  NIL,
  unwrapInterface,
  type Value,
  VALUE_DEPTH_MAX,
  VALUE_NODE_SIZE,
} from '@tinkerbell/go-template';

export interface MergeOptions {
  /** True if values of the source replace existing ones, empty values included. */
  readonly overwrite: boolean;
  readonly context: CallContext;
  /** How deep in other dicts these are. */
  readonly depth?: number;
}

/**
 * Merges a dict into another, which is changed (dario.cat/mergo). Nested dicts are merged. For everything
 * else the destination's value stays unless it is empty or `overwrite` is set.
 */
export function mergeInto(target: MapValue, source: MapValue, options: MergeOptions): void {
  const { depth = 0 } = options;
  if (depth > VALUE_DEPTH_MAX) throw new LimitExceeded(`value nested deeper than ${VALUE_DEPTH_MAX} levels`);
  if (target.entries === null) return;
  // A dict may be merged into itself.
  for (const [key, held] of Array.from(source.entries ?? [])) {
    options.context.spend(VALUE_NODE_SIZE);
    const value = unwrapInterface(held);
    const present = unwrapInterface(target.entries.get(key) ?? NIL);
    if (present.kind === 'map' && value.kind === 'map')
      mergeInto(present, value, { ...options, depth: depth + 1 });
    if (takes(present, value, options.overwrite)) target.entries.set(key, value);
  }
}

function takes(present: Value, value: Value, overwrite: boolean): boolean {
  if (value.kind === 'nil') return overwrite;
  if (isBlank(present)) return true;
  return overwrite && value.kind !== 'pointer' && !(present.kind === 'map' && value.kind === 'map');
}

/** mergo follows pointers. A struct that was not reached through nil never counts as empty. */
function isBlank(held: Value): boolean {
  const { value, isNil } = indirect(held);
  return isNil || value.kind === 'nil' || (value.kind !== 'struct' && !isTrue(value));
}
