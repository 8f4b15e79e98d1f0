import { messageType } from '@tinkerbell/dhcp';
import { ignore, type ReplyDecision, type ReplyInput } from './decision.ts';
import { notAllowed } from './proxy-allow-list.ts';

/**
 * In a network whose DHCP server is not ours silence is the rule: whatever is not a boot firmware asking everybody, or
 * asking us, is left to that server. Declines for requests a proxy may answer, and in reservation mode.
 */
export function ignoreBesideProxy(input: ReplyInput): ReplyDecision | undefined {
  const { client, settings } = input;
  if (settings.mode === 'reservation') return undefined;
  if (!settings.netbootOptionsEnabled) {
    return ignore('netboot-options-disabled', 'a proxy has nothing to say without netboot options');
  }
  if (!client.isNetbootClient) return ignore('not-a-netboot-client', 'a proxy answers boot firmware only');
  const { proxyAllow } = input.settings;
  const forbidden = proxyAllow === undefined ? undefined : notAllowed(proxyAllow, input);
  if (forbidden !== undefined) return ignore(forbidden.reason, forbidden.message);
  return input.arrival?.port === 'boot-server' ? ignoreOddBootRequest(input) : ignoreAddressRequest(input);
}

/** On port 4011 only REQUEST has a meaning. It was sent to us: whose id its option 54 holds does not matter. */
function ignoreOddBootRequest({ request }: ReplyInput): ReplyDecision | undefined {
  const type = request.options.messageType;
  return type === messageType.request
    ? undefined
    : ignore('unknown-message-type', `message type ${type ?? 'absent'} on the boot server port`);
}

/**
 * On port 67 a REQUEST is about an address. One without option 54 (INIT-REBOOT, RENEWING, REBINDING) is too: an ACK without
 * an address would be taken for the other server's (RFC 2131 section 4.3.2: no record, no answer). Upstream acknowledges
 * all of them. A relay's override of option 54 (RFC 5107) does not count: the other server has the same.
 */
function ignoreAddressRequest({ request, settings }: ReplyInput): ReplyDecision | undefined {
  if (request.options.messageType !== messageType.request) return undefined;
  const asked = request.options.serverIdentifier;
  if (asked === undefined) return ignore('address-wanted', 'the client asks for its address, not for us');
  return asked === settings.serverAddress
    ? undefined
    : ignore('other-server-selected', `the client chose ${asked}`);
}
