/**
 * Discovery of Redfish services by SSDP (DSP0266, section "Discovery", and UPnP Device Architecture 1.0, section 1.2). A client sends
 * a search to 239.255.255.250:1900. Each service answers with the URL of its service root.
 */
import { DecodeError, decoded, type Decoded } from '@tinkerbell/wire';

export const SSDP_PORT = 1900;
export const SSDP_GROUP_IPV4 = '239.255.255.250';
/** Link-local scope. */
export const SSDP_GROUP_IPV6 = 'ff02::c';

const SEARCH_TARGET = 'urn:dmtf-org:service:redfish-rest:1';
/** `redfish-rest:1` may have a minor version: `redfish-rest:1:14`. */
const SERVICE = /^urn:dmtf-org:service:redfish-rest:1(?::\d{1,3})?$/;
/** A datagram on Ethernet. */
const LENGTH_MAX = 1500;
const UUID = /^uuid:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:::|$)/i;

export interface RedfishService {
  /** The URL of the service root, from the header AL. It comes from the network: do not send credentials to it without a check. */
  readonly url: string;
  /** Lower case. It stays the same when the address changes. */
  readonly uuid: string | undefined;
}

/** Returns a search. Services answer after a random delay of at most this many seconds (1 to 5). */
export function encodeSsdpSearch(delaySecondsMax: number): string {
  const host = `${SSDP_GROUP_IPV4}:${SSDP_PORT}`;
  const lines = [`HOST: ${host}`, 'MAN: "ssdp:discover"', `MX: ${delaySecondsMax}`, `ST: ${SEARCH_TARGET}`];
  return `M-SEARCH * HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

/** Reads the answer to a search, or the notification of a service that starts. Other messages are errors with a reason. */
export function decodeSsdpAnswer(text: string): Decoded<RedfishService> {
  return decoded(() => {
    if (text.length > LENGTH_MAX) throw failure('too-long', 'message', `at most ${LENGTH_MAX} characters`);
    const [start = '', ...lines] = text.split('\r\n');
    const headers = headersOf(lines);
    checkService(start, headers);
    const url = headers.get('al') ?? '';
    if (!/^https?:\/\/[^\s/]+\/redfish\/v1\/?$/i.test(url))
      throw failure('no-url', 'AL', 'must be the URL of the service root');
    return { url, uuid: UUID.exec(headers.get('usn') ?? '')?.[1]?.toLowerCase() };
  });
}

function checkService(start: string, headers: ReadonlyMap<string, string>): void {
  const isNotification = /^NOTIFY \* HTTP\/1\.[01]$/.test(start);
  if (!isNotification && !/^HTTP\/1\.[01] 200(?: |$)/.test(start))
    throw failure('not-an-answer', 'start line', 'must be a 200 or NOTIFY');
  const field = isNotification ? 'nt' : 'st';
  if (!SERVICE.test(headers.get(field) ?? ''))
    throw failure('other-service', field.toUpperCase(), 'must be Redfish');
  if (isNotification && headers.get('nts') !== 'ssdp:alive')
    throw failure('leaving-service', 'NTS', 'must be ssdp:alive');
}

function headersOf(lines: readonly string[]): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  return headers;
}

function failure(code: string, field: string, detail: string): DecodeError {
  return new DecodeError({ code, offset: 0, field }, detail);
}
