import assert from 'node:assert/strict';
import { BmcError } from '../bmc-error.ts';

/** Returns the code of the BmcError with which the work fails, or `ok`. Its message must not have the password. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'ok';
  } catch (thrown) {
    assert.ok(thrown instanceof BmcError, String(thrown));
    assert.doesNotMatch(thrown.message, /secret-word/);
    return thrown.code;
  }
}
