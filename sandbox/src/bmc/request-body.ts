import type { IncomingMessage } from 'node:http';

/** A request of a client is at most a few KB. */
const BODY_BYTES_MAX = 64 * 1024;

/** Returns the text of a request. Empty when it is too long. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  request.setEncoding('utf8');
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > BODY_BYTES_MAX) return '';
  }
  return text;
}
