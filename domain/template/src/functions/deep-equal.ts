import {
  type CallContext,
  heldFields,
  LimitExceeded,
  type MapValue,
  NIL,
  type PointerValue,
  type SliceValue,
  typeName,
  VALUE_DEPTH_MAX,
  VALUE_NODE_SIZE,
  type Value,
} from '@tinkerbell/go-template';

/** Go's reflect.DeepEqual: compares type and content recursively. int 1 and float 1 differ. */
export function deepEqual(left: Value, right: Value, context: CallContext): boolean {
  const sameAt =
    (depth: number): Compare =>
    (a, b) => {
      if (depth > VALUE_DEPTH_MAX)
        throw new LimitExceeded(`value nested deeper than ${VALUE_DEPTH_MAX} levels`);
      context.spend(VALUE_NODE_SIZE);
      if (a === b) return a.kind !== 'func';
      return typeName(a) === typeName(b) && sameContent(a, b, sameAt(depth + 1));
    };
  return sameAt(0)(left, right);
}

function sameContent(left: Value, right: Value, same: Compare): boolean {
  if (left.kind === 'slice' && right.kind === 'slice') return sameItems(left, right, same);
  if (left.kind === 'map' && right.kind === 'map') return sameEntries(left, right, same);
  if (left.kind === 'pointer' && right.kind === 'pointer') return sameTargets(left, right, same);
  if (left.kind === 'struct' && right.kind === 'struct') {
    const others = heldFields(right);
    return heldFields(left).every(({ value }, i) => same(value, others[i]?.value ?? NIL));
  }
  return 'value' in left && 'value' in right && left.value === right.value;
}

type Compare = (left: Value, right: Value) => boolean;

function sameTargets(left: PointerValue, right: PointerValue, same: Compare): boolean {
  const [a, b] = [left.target, right.target];
  return a === null || b === null ? a === b : same(a, b);
}

function sameItems(left: SliceValue, right: SliceValue, same: Compare): boolean {
  const [a, b] = [left.items, right.items];
  if (a === null || b === null) return a === b;
  return a.length === b.length && a.every((item, i) => b[i] !== undefined && same(item, b[i]));
}

function sameEntries(left: MapValue, right: MapValue, same: Compare): boolean {
  const [a, b] = [left.entries, right.entries];
  if (a === null || b === null) return a === b;
  return (
    a.size === b.size &&
    [...a].every(([key, value]) => {
      const other = b.get(key);
      return other !== undefined && same(value, other);
    })
  );
}
