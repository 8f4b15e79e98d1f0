import type { SyslogContent } from './message.ts';

/** `Nov  1 19:34:41`, with fractions, with a year (routers), or as RFC 3339 (rsyslog). */
const TIMESTAMP =
  /^(?:[A-Z][a-z]{2} +\d{1,2}(?: \d{4})? \d{2}:\d{2}:\d{2}(?:\.\d{1,9})?|\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2}))(?: |$)/;
const TAG = /^([A-Za-z_][\w./@%+-]{0,63})(?:\[([^\]\s]{0,63})\])?:(?: |$)/;
const HOST_NAME = /^([\w.:%-]{1,255}) /;
/** A name that can only be an address or a qualified name. */
const IS_SURELY_HOST = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f:]*:[0-9a-f:.]*|[\w-]+(?:\.[\w-]+)+)$/i;

/**
 * RFC 3164 section 4.1, after the priority. Returns undefined when there is neither a timestamp nor a tag. A word is a host name
 * when a tag follows it, or when it cannot be anything else, so that words of the message are not mistaken for one.
 */
export function readRfc3164(text: string): SyslogContent | undefined {
  const timestamp = TIMESTAMP.exec(text)?.[0];
  const content = text.slice(timestamp?.length ?? 0);
  const found = timestamp === undefined ? readUntimed(content) : readContent(content);
  if (found === undefined) return undefined;
  const time = timestamp === undefined ? {} : { timestamp: timestamp.trimEnd() };
  return { format: 'rfc3164', ...time, ...found, structuredData: [] };
}

type Content = Pick<SyslogContent, 'hostName' | 'appName' | 'processId' | 'text'>;

function readContent(content: string): Content {
  const tagged = readTag(content);
  if (tagged !== undefined) return tagged;
  const [whole, hostName] = HOST_NAME.exec(content) ?? [];
  if (whole === undefined || hostName === undefined) return { text: content };
  const rest = content.slice(whole.length);
  const taggedRest = readTag(rest);
  if (taggedRest !== undefined) return { hostName, ...taggedRest };
  return IS_SURELY_HOST.test(hostName) ? { hostName, text: rest } : { text: content };
}

/** iPXE sends `ipxe: text` or, when it has a host name, `name ipxe: text`. No other known sender omits only the time. */
const IPXE_WITH_NAME = /^[\w.-]{1,255} (?=ipxe: )/;

function readUntimed(content: string): Content | undefined {
  const name = IPXE_WITH_NAME.exec(content)?.[0];
  if (name === undefined) return readTag(content);
  const tagged = readTag(content.slice(name.length));
  return tagged === undefined ? undefined : { hostName: name.trimEnd(), ...tagged };
}

function readTag(content: string): Content | undefined {
  const [whole, appName, processId] = TAG.exec(content) ?? [];
  if (whole === undefined || appName === undefined) return undefined;
  const process = processId === undefined ? {} : { processId };
  return { appName, ...process, text: content.slice(whole.length) };
}
