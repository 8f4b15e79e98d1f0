import { integerShape, isAssignable, typeText, canBeNil } from './go-type.ts';
import type { GoType } from './go-model.ts';
import { FunctionError, typeName } from './printer.ts';
import { intValue, NIL, typeOf, unwrapInterface, zeroValue } from './value.ts';
import type { CallContext, Value } from './go-model.ts';

/** The built-in `call`: calls a function that is a value. */
export function callValue(name: string, args: readonly Value[], context: CallContext): Value {
  const callee = unwrapInterface(args[0] ?? NIL);
  if (callee.kind === 'nil') throw new FunctionError('call of nil');
  if (callee.kind !== 'func') throw new FunctionError(`non-function ${name} of type ${typeName(callee)}`);
  const { params, variadic } = callee.type;
  const given = args.slice(1);
  if (variadic && given.length < params.length - 1) {
    throw new FunctionError(
      `wrong number of args for ${name}: got ${given.length} want at least ${params.length - 1}`,
    );
  }
  if (!variadic && given.length !== params.length) {
    throw new FunctionError(`wrong number of args for ${name}: got ${given.length} want ${params.length}`);
  }
  const prepared = given.map((arg, i) => {
    const type = params[Math.min(i, params.length - 1)];
    return type === undefined ? arg : prepare(unwrapInterface(arg), type, i);
  });
  return callee.call(prepared, context);
}

function prepare(value: Value, type: GoType, index: number): Value {
  try {
    return prepareArgument(value, type);
  } catch (error) {
    if (!(error instanceof FunctionError)) throw error;
    throw new FunctionError(`arg ${index}: ${error.message}`);
  }
}

/** Returns the value as the wanted type, converting between integers. Returns an error if it does not fit. */
export function prepareArgument(value: Value, type: GoType): Value {
  const own = typeOf(value);
  if (own === undefined) {
    if (!canBeNil(type)) throw new FunctionError(`value is nil; should be of type ${typeText(type)}`);
    return zeroValue(type);
  }
  if (isAssignable(own, type)) return value;
  if (value.kind === 'integer' && isIntegerType(type)) return intValue(value.value, type.kind);
  throw new FunctionError(`value has type ${typeText(own)}; should be ${typeText(type)}`);
}

function isIntegerType(type: GoType): type is { kind: 'int' } {
  return integerShape(type.kind) !== undefined;
}
