import type { DhcpPacket } from '@tinkerbell/dhcp';
import type { Ipv4 } from '@tinkerbell/wire';
import type { NetbootSettings } from '../settings.ts';

/** Option 54 of replies. RFC 5107: a relay may say under which address it presents the server to the client. */
export function serverIdentifierFor(
  { options }: DhcpPacket,
  { serverAddress }: Pick<NetbootSettings, 'serverAddress'>,
): Ipv4 {
  return options.relayAgentInformation?.serverIdentifierOverride ?? serverAddress;
}

/**
 * True when option 54 of a request means us: it holds our address, or what the relay presents us as. A client that got its
 * lease before the relay began to do so has our address still.
 */
export function isOurIdentifier(
  request: DhcpPacket,
  settings: Pick<NetbootSettings, 'serverAddress'>,
): boolean {
  const { serverIdentifier } = request.options;
  if (serverIdentifier === undefined) return true;
  return (
    serverIdentifier === settings.serverAddress || serverIdentifier === serverIdentifierFor(request, settings)
  );
}
