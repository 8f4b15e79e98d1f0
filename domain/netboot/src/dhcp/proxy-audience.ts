import { messageType } from '@tinkerbell/dhcp';
import { ignore, type ReplyDecision, type ReplyInput } from './decision.ts';
import { notAllowed } from './proxy-allow-list.ts';

/**
 * In a network with another DHCP server, this server stays silent by default. It answers only boot firmware that asks every
 * server or this one, and leaves all other requests to the other server. Declines for requests that a proxy may answer, and in
 * reservation mode.
 */
export function ignoreBesideProxy(input: ReplyInput): ReplyDecision | undefined {
  const { client, settings } = input;
  if (settings.mode === 'reservation') return undefined;
  if (!settings.netbootOptionsEnabled) {
    return ignore('netboot-options-disabled', 'a proxy sends no answer without netboot options');
  }
  if (!client.isNetbootClient) return ignore('not-a-netboot-client', 'a proxy answers boot firmware only');
  const { proxyAllow } = input.settings;
  const forbidden = proxyAllow === undefined ? undefined : notAllowed(proxyAllow, input);
  if (forbidden !== undefined) return ignore(forbidden.reason, forbidden.message);
  return input.arrival?.port === 'boot-server' ? ignoreOddBootRequest(input) : ignoreAddressRequest(input);
}

/**
 * On port 4011 only REQUEST has a meaning. The packet was sent to this server, so the server id in its option 54 does not matter.
 */
function ignoreOddBootRequest({ request }: ReplyInput): ReplyDecision | undefined {
  const type = request.options.messageType;
  return type === messageType.request
    ? undefined
    : ignore('unknown-message-type', `message type ${type ?? 'absent'} on the boot server port`);
}

/**
 * On port 67 a REQUEST is about an address, also without option 54 (INIT-REBOOT, RENEWING, REBINDING). The client would take an
 * ACK without an address for the other server's answer (RFC 2131 section 4.3.2: no record, no answer). Upstream acknowledges all
 * of them. A relay's override of option 54 (RFC 5107) does not count, because the other server has the same override.
 */
function ignoreAddressRequest({ request, settings }: ReplyInput): ReplyDecision | undefined {
  if (request.options.messageType !== messageType.request) return undefined;
  const asked = request.options.serverIdentifier;
  if (asked === undefined)
    return ignore('address-wanted', 'the client requests its address from another server');
  return asked === settings.serverAddress
    ? undefined
    : ignore('other-server-selected', `the client chose ${asked}`);
}
