import { type FunctionSpec, STRING, stringValue } from '@tinkerbell/go-template';
import { text } from './operands.ts';

/** Returns a function from one text to another. Its cost is the length of its input. */
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
