import { areTrailers, charactersOf, isAnswer, isRequest, type Fields } from './message-fields.ts';

/** A list with a token and a few short fields is kept. Thousands of connections may keep so much. */
export const KEPT_CHARACTERS_MAX = 2048;

type Check = (fields: Fields) => boolean;

/** Checks messages of a connection. The decoder may return the same list again, and the last valid one of each kind is known. */
export class RepeatedValidity {
  readonly isRequest = rememberingLast(isRequest);
  readonly isAnswer = rememberingLast(isAnswer);
  readonly areTrailers = rememberingLast(areTrailers);
}

function rememberingLast(check: Check): Check {
  let valid: Fields | undefined;
  return (fields) => {
    if (fields === valid) return true;
    if (!check(fields)) return false;
    if (charactersOf(fields) <= KEPT_CHARACTERS_MAX) valid = fields;
    return true;
  };
}
