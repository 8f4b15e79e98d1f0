import type { OperandNode } from './ast.ts';
import type { Frame } from './frame.ts';
import type { Value } from './go-model.ts';
import { boolValue, floatValue, intValue, NIL, stringValue } from './value.ts';

/** Returns the value of a constant, or dot. Numbers become int, or float64 if they look like one. */
export function evaluateConstant(frame: Frame, dot: Value, node: OperandNode): Value {
  frame.at(node);
  switch (node.kind) {
    case 'bool':
      return boolValue(node.value);
    case 'dot':
      return dot;
    case 'string':
      return stringValue(node.value);
    case 'number': {
      const { int, float } = node.number;
      if (float !== undefined && node.isFloat) return floatValue(float);
      return int === undefined ? frame.fail(`${node.text} overflows int`) : intValue(int);
    }
    default:
      return NIL;
  }
}
