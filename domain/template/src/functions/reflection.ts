import {
  BOOL,
  boolValue,
  type FunctionSpec,
  INTERFACE,
  STRING,
  stringValue,
  typeName,
  type Value,
} from '@tinkerbell/go-template';
import { deepEqual } from './deep-equal.ts';
import { operand, text } from './operands.ts';

/** Sprig's functions that report the Go type of a value. */
export const REFLECTION_FUNCTIONS: Readonly<Record<string, FunctionSpec>> = {
  typeOf: says(typeName),
  kindOf: says(kindName),
  typeIs: compares((target, value) => typeName(value) === target),
  typeIsLike: compares((target, value) => [target, `*${target}`].includes(typeName(value))),
  kindIs: compares((target, value) => kindName(value) === target),
  deepEqual: {
    params: [INTERFACE, INTERFACE],
    result: BOOL,
    call: ([left, right], context) => boolValue(deepEqual(operand(left), operand(right), context)),
  },
};

/** Returns Go's name for the kind of a value, without its element type. */
export function kindName(value: Value): string {
  switch (value.kind) {
    case 'nil':
      return 'invalid';
    case 'integer':
      return value.type.kind;
    case 'pointer':
      return 'ptr';
    default:
      return value.kind;
  }
}

function says(what: (value: Value) => string): FunctionSpec {
  return { params: [INTERFACE], result: STRING, call: ([value]) => stringValue(what(operand(value))) };
}

function compares(test: (target: string, value: Value) => boolean): FunctionSpec {
  return {
    params: [STRING, INTERFACE],
    result: BOOL,
    call: ([target, value]) => boolValue(test(text(target), operand(value))),
  };
}
