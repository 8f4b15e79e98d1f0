import {
  type CallContext,
  LimitExceeded,
  listValue,
  mapValue,
  NIL,
  pointerValue,
  type StructValue,
  type Value,
  VALUE_DEPTH_MAX,
  VALUE_NODE_SIZE,
  zeroValue,
} from '@tinkerbell/go-template';
import { TIME } from '../go/time.ts';

/** Copies lists and maps recursively, so that `set` on the copy does not change the original. */
export function copyOf(value: Value, context: CallContext, depth = 0): Value {
  if (depth > VALUE_DEPTH_MAX) throw new LimitExceeded(`value nested deeper than ${VALUE_DEPTH_MAX} levels`);
  context.spend(VALUE_NODE_SIZE);
  const inner = (part: Value): Value => copyOf(part, context, depth + 1);
  switch (value.kind) {
    case 'slice':
      return value.items === null ? value : listValue(value.items.map(inner), value.type);
    case 'map':
      return value.entries === null ? value : mapValue(copiedEntries(value.entries, inner), value.type);
    case 'struct':
      return value.type === TIME ? value : { ...value, fields: new Map(copiedFields(value, inner)) };
    case 'pointer':
      return pointerValue(value.type, value.target === null ? null : inner(value.target));
    case 'interface':
      return { kind: 'interface', value: inner(value.value) };
    default:
      return value;
  }
}

type Copy = (part: Value) => Value;

function copiedEntries(entries: ReadonlyMap<string, Value>, copy: Copy): [string, Value][] {
  return [...entries].map(([key, entry]) => [key, copy(entry)]);
}

/** Go cannot access unexported fields, so they are zero in the copy. */
function copiedFields({ type, fields }: StructValue, copy: Copy): [string, Value][] {
  return type.fields.map((field) => [
    field.name,
    field.unexported === true ? zeroValue(field.type) : copy(fields.get(field.name) ?? NIL),
  ]);
}
