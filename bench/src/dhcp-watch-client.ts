/**
 * A relay agent that sends a DISCOVER every 50 ms, each for the next machine of a site, and records when offers come. Its arguments are
 * the address of the server and the number of machines. It answers the message `report` with a DhcpWatch.
 */
import { createSocket } from 'node:dgram';
import { NETWORK } from './machines.ts';
import { dhcpMessage, messageTypeOf } from './storm-dhcp.ts';

export interface DhcpWatch {
  /** Milliseconds since the epoch. Absent: none came. */
  readonly firstOfferMs?: number;
  readonly offers: number;
  /** Between two offers, or after the last one. */
  readonly longestSilenceMs: number;
}

const EVERY_MS = 50;
const DHCP_PORT = 67;
const [server = '', machines = ''] = process.argv.slice(2);

let firstOfferMs: number | undefined;
let lastMs = 0;
let longestSilenceMs = 0;
let offers = 0;
let sent = 0;

const socket = createSocket('udp4');
socket.on('message', (message) => {
  if (messageTypeOf(message) !== 'offer') return;
  const nowMs = performance.now();
  firstOfferMs ??= performance.timeOrigin + nowMs;
  if (offers > 0) longestSilenceMs = Math.max(longestSilenceMs, nowMs - lastMs);
  offers += 1;
  lastMs = nowMs;
});
// A server that does not run is reported by the kernel.
socket.on('error', () => undefined);
socket.bind(DHCP_PORT, NETWORK.gateway, () => {
  const timer = setInterval(() => {
    const message = dhcpMessage({ index: sent % Number(machines), isRequest: false, server });
    socket.send(message, DHCP_PORT, server, () => undefined);
    sent += 1;
  }, EVERY_MS);
  process.once('message', () => {
    clearInterval(timer);
    const silenceMs = offers === 0 ? 0 : performance.now() - lastMs;
    const watch: DhcpWatch = {
      ...(firstOfferMs === undefined ? {} : { firstOfferMs }),
      offers,
      longestSilenceMs: Math.max(longestSilenceMs, silenceMs),
    };
    process.send?.(watch, () => process.exit());
  });
});
