/** Sends a Solicit, which servers answer with an Advertise. Takes no lease (RFC 8415 section 18.2.1). */
import {
  CLIENT_PORT,
  decodeMessage,
  duidOfMac,
  encodeMessage,
  messageType,
  SERVER_PORT,
} from '@tinkerbell/dhcpv6';
import { delay, PlatformError, type Clock } from '@tinkerbell/platform-contract';
import { nodeUdp6 } from '@tinkerbell/platform-node';
import type { Mac } from '@tinkerbell/wire';

const ALL_SERVERS = 'ff02::1:2';
const TRANSACTION = 0x7a11;

/** Returns the addresses of servers that answered; undefined if the probe could not be sent. */
export async function askDhcpv6(
  networkInterface: string,
  { mac, seconds, clock, signal }: { mac: Mac; seconds: number; clock: Clock; signal: AbortSignal },
): Promise<readonly string[] | undefined> {
  const servers = new Set<string>();
  let isHeard = true;
  try {
    await using socket = await nodeUdp6.open(
      { port: CLIENT_PORT, networkInterface, groups: [] },
      {
        onDatagram({ bytes, peer }) {
          const decoded = decodeMessage(bytes);
          if (decoded.ok && decoded.value.transactionId === TRANSACTION) servers.add(peer.address);
        },
        onError: () => (isHeard = false),
      },
    );
    const ask = () => socket.send(solicit(mac), { address: ALL_SERVERS, port: SERVER_PORT });
    ask();
    await delay(clock, (seconds * 1000) / 2, signal);
    ask();
    await delay(clock, (seconds * 1000) / 2, signal);
    return isHeard ? [...servers] : undefined;
  } catch (thrown) {
    if (thrown instanceof PlatformError) return undefined;
    throw thrown;
  }
}

function solicit(mac: Mac): Uint8Array {
  const association = { id: 1, renewalTimeSeconds: 0, rebindingTimeSeconds: 0, addresses: [] };
  return encodeMessage({
    type: messageType.solicit,
    transactionId: TRANSACTION,
    options: {
      clientIdentifier: duidOfMac(mac),
      elapsedHundredths: 0,
      identityAssociations: [association],
    },
  });
}
