import type { Frame } from './frame.ts';
import { typeText } from './go-type.ts';
import { quote } from './quoting.ts';
import {
  heldAs,
  indirect,
  type MapValue,
  NIL,
  type StructValue,
  typeOf,
  type Value,
  zeroValue,
} from './value.ts';

/** Returns field or map entry `name` of a value, with Go's error where there is none. */
export function accessField(frame: Frame, receiver: Value, name: string, hasArguments: boolean): Value {
  const type = typeOf(receiver);
  if (type === undefined) {
    if (frame.execution.missingKey === 'error') frame.fail(`nil data; no entry for key ${quote(name)}`);
    return NIL;
  }
  const { value, isNil } = indirect(receiver);
  switch (value.kind) {
    case 'interface':
      return frame.fail(`nil pointer evaluating ${typeText(type)}.${name}`);
    case 'struct':
      if (value.fields.has(name)) return structField(frame, value, name, hasArguments);
      break;
    case 'map':
      if (hasArguments) frame.fail(`${name} is not a method but has arguments`);
      return mapEntry(frame, value, name);
    case 'pointer': {
      const element = value.type.element;
      const lacksField = element.kind === 'struct' && !element.fields.some((field) => field.name === name);
      if (!lacksField && isNil) frame.fail(`nil pointer evaluating ${typeText(type)}.${name}`);
      break;
    }
    default:
      break;
  }
  return frame.fail(`can't evaluate field ${name} in type ${typeText(type)}`);
}

function structField(frame: Frame, value: StructValue, name: string, hasArguments: boolean): Value {
  if (hasArguments) frame.fail(`${name} has arguments but cannot be invoked as function`);
  const type = value.type.fields.find((field) => field.name === name)?.type;
  const field = value.fields.get(name) ?? NIL;
  return type === undefined ? field : heldAs(type, field);
}

function mapEntry(frame: Frame, map: MapValue, name: string): Value {
  const entry = map.entries?.get(name);
  if (entry !== undefined) return heldAs(map.type.element, entry);
  switch (frame.execution.missingKey) {
    case 'zero':
      return heldAs(map.type.element, zeroValue(map.type.element));
    case 'error':
      return frame.fail(`map has no entry for key ${quote(name)}`);
    default:
      return NIL;
  }
}
