import { COMPARISON_BUILTINS } from './builtin-comparison.ts';
import { COLLECTION_BUILTINS } from './builtin-collections.ts';
import { ESCAPING_BUILTINS } from './builtin-escaping.ts';
import { ANY_VALUE, BOOL, INTERFACE, STRING } from './go-type.ts';
import type { GoType } from './go-model.ts';
import { sprint, sprintln } from './printer.ts';
import { sprintf } from './printf.ts';
import { boolValue, functionValue, isTrue, NIL, stringValue, unwrapInterface } from './value.ts';
import type { FunctionValue } from './go-model.ts';

const ANY_VALUES: { params: readonly GoType[]; variadic: boolean } = {
  params: [ANY_VALUE, ANY_VALUE],
  variadic: true,
};

/** The functions that every Go template has. The engine itself implements `and`, `or` and `call`. */
export const BUILTINS: ReadonlyMap<string, FunctionValue> = new Map(
  [
    functionValue('and', { kind: 'func', ...ANY_VALUES, result: ANY_VALUE }, ([first]) => first ?? NIL),
    functionValue('or', { kind: 'func', ...ANY_VALUES, result: ANY_VALUE }, ([first]) => first ?? NIL),
    functionValue('call', { kind: 'func', ...ANY_VALUES, result: ANY_VALUE }, ([first]) => first ?? NIL),
    functionValue('not', { kind: 'func', params: [ANY_VALUE], variadic: false, result: BOOL }, ([value]) =>
      boolValue(!isTrue(unwrapInterface(value ?? NIL))),
    ),
    functionValue('print', textFunction([INTERFACE]), (args, context) => stringValue(sprint(args, context))),
    functionValue('println', textFunction([INTERFACE]), (args, context) =>
      stringValue(sprintln(args, context)),
    ),
    functionValue('printf', textFunction([STRING, INTERFACE]), ([format, ...args], context) =>
      stringValue(sprintf(format?.kind === 'string' ? format.value : '', args, context)),
    ),
    ...COMPARISON_BUILTINS,
    ...COLLECTION_BUILTINS,
    ...ESCAPING_BUILTINS,
  ].map((builtin) => [builtin.name, builtin]),
);

function textFunction(params: readonly GoType[]): FunctionValue['type'] {
  return { kind: 'func', params, variadic: true, result: STRING };
}

/** Their names, for suggestions when a name is wrong. */
export const BUILTIN_NAMES: readonly string[] = [...BUILTINS.keys()];
