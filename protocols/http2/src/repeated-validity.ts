import { areTrailers, isAnswer, isRequest, type Fields } from './message-fields.ts';

/** A token and a few short fields. Thousands of connections may keep so much. */
const CHARACTERS_MAX = 2048;

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
    if (charactersOf(fields) <= CHARACTERS_MAX) valid = fields;
    return true;
  };
}

function charactersOf(fields: Fields): number {
  let characters = 0;
  for (const text of fields) characters += text.length;
  return characters;
}
