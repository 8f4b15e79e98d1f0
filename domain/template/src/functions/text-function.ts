import { type FunctionSpec, STRING, stringValue } from '@tinkerbell/go-template';
import { text } from './operands.ts';

/** A function of one text to another, charged by the length of what it is given. */
export function ofText(change: (source: string) => string): FunctionSpec {
  return {
    params: [STRING],
    result: STRING,
    call: ([source], context) => {
      context.spend(text(source).length);
      return stringValue(change(text(source)));
    },
  };
}
