/** Finds Redfish services of the local network by SSDP. They answer from their own address, whatever the range is. */
import { delay, type Clock, type Udp } from '@tinkerbell/platform-contract';
import { decodeSsdpAnswer, encodeSsdpSearch, SSDP_GROUP_IPV4, SSDP_PORT } from '@tinkerbell/redfish';
import { encodeUtf8 } from '@tinkerbell/wire';

/** Services answer within this time, and a margin for the way. */
const DELAY_SECONDS_MAX = 1;
const MARGIN_MS = 500;
/** Answers that are kept: anybody may send them. */
const FOUND_MAX = 4096;

/** Returns the addresses that answer. The URL in an answer is not followed: the service root of the sender is read instead. */
export async function searchSsdp(
  { udp, clock }: { readonly udp: Udp; readonly clock: Clock },
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  await using socket = await udp.open(
    { port: 0 },
    {
      onDatagram: ({ bytes, peer }) => {
        const answer = decodeSsdpAnswer(new TextDecoder().decode(bytes));
        if (answer.ok && found.size < FOUND_MAX) found.add(peer.address);
      },
      // Without a route for multicast there is nobody to ask.
      onError: () => undefined,
    },
  );
  socket.send(encodeUtf8(encodeSsdpSearch(DELAY_SECONDS_MAX)), { address: SSDP_GROUP_IPV4, port: SSDP_PORT });
  await delay(clock, DELAY_SECONDS_MAX * 1000 + MARGIN_MS, signal);
  return found;
}
