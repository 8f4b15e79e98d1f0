import { RE2JS, RE2JSSyntaxException } from 're2js';
import { refuse, text, type Place } from './fields.ts';

/** Uses RE2's syntax, whose matching time is proportional to the text, for any text. */
export function regex(place: Place): RE2JS {
  const source = text(place);
  try {
    return RE2JS.compile(source);
  } catch (thrown) {
    if (!(thrown instanceof RE2JSSyntaxException)) throw thrown;
    return refuse(place, `is not a regular expression of RE2 (${thrown.message})`);
  }
}
