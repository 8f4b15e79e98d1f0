import type { DhcpPacket } from '@tinkerbell/dhcp';
import type { Ipv4 } from '@tinkerbell/wire';
import type { NetbootSettings } from '../settings.ts';

/** Returns option 54 of replies. RFC 5107: a relay may specify the address under which it presents the server to the client. */
export function serverIdentifierFor(
  { options }: DhcpPacket,
  { serverAddress }: Pick<NetbootSettings, 'serverAddress'>,
): Ipv4 {
  return options.relayAgentInformation?.serverIdentifierOverride ?? serverAddress;
}

/**
 * Returns true when option 54 of a request identifies this server: by its address, or by the address that the relay presents. A
 * client that got its lease before the relay began to do so still uses the server's address.
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
