/** Writes the heads of responses as Node writes them. */
import { nodeHttp } from '../node-http.ts';

const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;
const NOT_IN_VALUE = /[^\t -~\x80-\xff]/;
/** The head has its own. */
const OWN = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding', 'trailer']);

let dateSecond = 0;
let date = '';

function dateLine(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    date = `Date: ${new Date(second * 1000).toUTCString()}\r\n`;
  }
  return date;
}

/**
 * Returns the head of a response after which the connection stays open for `keptSeconds`. Undefined if a header is one that only Node writes, or is
 * invalid, as with a line break in its value.
 */
export function responseHead(
  status: number,
  headers: Readonly<Record<string, string>>,
  keptSeconds: number,
): string | undefined {
  let text = `HTTP/1.1 ${status} ${nodeHttp.STATUS_CODES[status] ?? 'unknown'}\r\n`;
  for (const name in headers) {
    const value = headers[name] ?? '';
    if (OWN.has(name.toLowerCase()) || !TOKEN.test(name) || NOT_IN_VALUE.test(value)) return undefined;
    text += `${name}: ${value}\r\n`;
  }
  return `${text}${dateLine()}Connection: keep-alive\r\nKeep-Alive: timeout=${keptSeconds}\r\n\r\n`;
}

/** RFC 9110, section 6.4.1. */
export function mayHaveBody(method: string, status: number): boolean {
  return method !== 'HEAD' && status !== 204 && status !== 304;
}
