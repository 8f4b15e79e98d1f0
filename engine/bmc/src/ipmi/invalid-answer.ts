import type { Decoded } from '@tinkerbell/wire';
import { BmcError } from '../bmc-error.ts';

/** Returns the value of an answer. An answer that breaks the protocol is a BmcError. */
export function valueOf<Value>(read: Decoded<Value>, operation: string): Value {
  if (read.ok) return read.value;
  throw new BmcError('invalid-answer', `cannot ${operation}: invalid answer: ${read.error.message}`);
}
