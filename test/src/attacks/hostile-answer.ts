/**
 * Checks the answer to a hostile request: a short failure of the client, or a success, and never a failure of
 * the server.
 */
import assert from 'node:assert/strict';

/** A refusal names at most a hundred problems. */
const ANSWER_BYTES_MAX = 256 * 1024;

/**
 * Returns the status of the answer, which is read and must be short. `allowed` lists the permitted statuses.
 */
export async function answered(
  what: string,
  response: Response,
  allowed: readonly number[],
): Promise<number> {
  const body = await response.arrayBuffer();
  const text = Buffer.from(body.slice(0, 300)).toString();
  assert.ok(allowed.includes(response.status), `${what}: ${response.status} ${text}`);
  if (response.status >= 400)
    assert.ok(body.byteLength <= ANSWER_BYTES_MAX, `${what}: ${body.byteLength} bytes of answer: ${text}`);
  return response.status;
}

/** Refusals of an invalid body. */
export const REFUSED: readonly number[] = [400, 413, 415, 422, 429];

/** Larger bodies may be refused, and their connection closed, while they are being sent. */
const SENT_WHOLE_MAX = 48 * 1024;

/**
 * Returns the answer. Undefined when the server has closed the connection on a large body, which is a refusal
 * too.
 */
export async function sent(sending: Promise<Response>, body: string): Promise<Response | undefined> {
  try {
    return await sending;
  } catch (thrown) {
    if (thrown instanceof TypeError && body.length > SENT_WHOLE_MAX) return undefined;
    throw thrown;
  }
}
