/** Explains each reason why the server ignored a packet, and what to do. */
import type { IgnoreReason, V6IgnoreReason, V6NoBootReason } from '@tinkerbell/netboot';

export interface ReasonAdvice {
  /** What to do next, in the imperative; absent if nothing is wrong. */
  readonly next?: string;
  /** Why the packet was ignored, as the end of a sentence. */
  readonly meaning: string;
}

/** Reasons why iPXE scripts and ISO images are rejected. */
type ServingReason =
  | 'script-value-invalid'
  | 'value-invalid'
  | 'not-an-iso'
  | 'no-source'
  | 'source-invalid'
  | 'source-unavailable';

const FIELD = 'correct the field in the message with tink apply';
const DAMAGED = 'find the broken client or relay; a capture of UDP 67 shows the packet';
const RELAY = 'correct the relay’s configuration';
const harmless = (meaning: string): ReasonAdvice => ({ meaning });
const wrong = (meaning: string, next: string): ReasonAdvice => ({ meaning, next });

export const reasonAdvice: Readonly<
  Record<IgnoreReason | V6IgnoreReason | V6NoBootReason | ServingReason, ReasonAdvice>
> = {
  'not-a-request': harmless('it was another server’s reply'),
  'too-many-hops': wrong('relays forward it in a loop', RELAY),
  'too-many-requests': wrong(
    'the machine sends requests in a loop',
    'check its console, or power it off for a minute',
  ),
  'server-busy': wrong(
    'more packets waited than the server could process',
    'find who sends so many DHCP packets; a capture of UDP 67 shows them',
  ),
  'no-message-type': wrong(
    'the packet is BOOTP, which is not supported',
    'switch the firmware to DHCP or PXE',
  ),
  'malformed-option': wrong('an option of the packet is damaged', DAMAGED),
  'relay-address-invalid': wrong('the address of the relay is invalid', RELAY),
  'client-address-invalid': wrong('the address of the client is invalid', DAMAGED),
  'no-hardware-address': wrong(
    'the packet has no MAC (InfiniBand sends none)',
    'boot it from an Ethernet port',
  ),
  'client-released': harmless('the machine released its address'),
  'client-declined': wrong(
    'another host has the machine’s address',
    'find that host, or change spec.interfaces[].dhcp.ip.address',
  ),
  'unknown-message-type': wrong('the packet has an unsupported message type', DAMAGED),
  'other-server-selected': wrong(
    'the machine chose another DHCP server',
    'run tink preflight, and switch that server off or run --dhcp-mode=proxy beside it',
  ),
  'netboot-options-disabled': wrong(
    'the server is configured to send no boot files',
    'start it without --dhcp-enable-netboot-options=false',
  ),
  'not-a-netboot-client': harmless('an operating system sent it, and in proxy mode the other server answers'),
  'address-wanted': harmless('it requested an address, and in proxy mode the other server answers'),
  'no-binary': wrong(
    'the server has no boot file for its architecture',
    'configure one: --ipxe-override-arch-mapping=ARCHITECTURE=FILE',
  ),
  'mac-not-allowed': wrong(
    'its MAC is not in --dhcp-proxy-allow-mac',
    'add the prefix of its MAC to the list',
  ),
  'subnet-not-allowed': wrong(
    'it is not in a network of --dhcp-proxy-allow-subnet',
    'add its network to the list',
  ),
  'link-unknown': wrong('its network is unknown', 'set the network interfaces with --dhcp-bind-interface'),
  'no-lease': wrong(
    'it wants to keep an address that this server did not assign',
    'wait until its lease ends, or restart it',
  ),
  'pool-exhausted': wrong('the address pool is exhausted', 'enlarge --dhcp-pool, or shorten its lease='),
  'address-being-probed': harmless('its address is being probed; the machine will ask again'),
  'lease-not-written': wrong(
    'the server could not store the lease',
    'check for a full disk under --data-dir; the log has the error',
  ),
  'no-hardware': wrong('no Hardware has its MAC', 'register it: tink hardware push --file FILE'),
  'several-hardware': wrong('several Hardware have its MAC', 'delete all but one: tink delete hardware NAME'),
  'dhcp-disabled': wrong('its Hardware disables DHCP', 'remove disableDhcp from the network interface'),
  'no-netboot-data': wrong(
    'its Hardware is incomplete',
    'set both dhcp and netboot of the network interface',
  ),
  'address-invalid': wrong('the address in its Hardware is invalid', FIELD),
  'address-not-ipv4': wrong('the address in its Hardware is not an IPv4 address', FIELD),
  'netmask-invalid': wrong('the netmask in its Hardware is invalid', FIELD),
  'gateway-invalid': wrong('the gateway in its Hardware is not an address', FIELD),
  'static-route-invalid': wrong('a static route in its Hardware is invalid', FIELD),
  'ipxe-url-invalid': wrong('netboot.ipxe.url of its Hardware is invalid', FIELD),
  'osie-url-invalid': wrong('netboot.osie.baseURL of its Hardware is invalid', FIELD),
  'script-value-invalid': wrong('a value in its Hardware is not safe in a script', FIELD),
  'value-invalid': wrong('a value in its Hardware is not safe in a kernel command line', FIELD),
  'netboot-not-allowed': wrong(
    'its Hardware does not allow netboot',
    'set netboot.allowPXE to true, or run a workflow that sets it',
  ),
  'server-not-named': wrong('a DHCPv6 message has no server identifier', DAMAGED),
  'server-named': wrong('a DHCPv6 message has a server identifier and must not', DAMAGED),
  'client-not-named': wrong('a DHCPv6 message has no client identifier', DAMAGED),
  'addresses-in-information-request': wrong('a DHCPv6 Information-request asks for addresses', DAMAGED),
  'no-mac': wrong(
    'the request does not contain the MAC',
    'configure the relay to add it (RFC 6939), or the client to use a DUID with its MAC',
  ),
  'nothing-to-confirm': harmless('it had no address to confirm'),
  'tftp-over-ipv6': wrong(
    'the firmware uses TFTP over IPv6, which is not supported',
    'switch it to HTTP boot, or to IPv4',
  ),
  'no-ipv6-url': wrong(
    'the server has no URL with an IPv6 address',
    'set --dhcpv6-ipxe-http-binary-url and --dhcpv6-ipxe-http-script-url',
  ),
  'not-an-iso': wrong('the URL is not that of an ISO image', 'use /iso/<mac>/<name>.iso'),
  'no-source': wrong('the image to patch is not configured', 'configure it as the message says'),
  'source-invalid': wrong('the image’s URL is invalid', FIELD),
  'source-unavailable': wrong(
    'the server could not fetch the image',
    'open its URL from the server’s machine',
  ),
};

/** A reason from a record may be any text, also the name of a property that every object has. */
const byReason = new Map<unknown, ReasonAdvice>(Object.entries(reasonAdvice));

/** Returns undefined for a reason of a newer server. */
export function adviceOn(reason: unknown): ReasonAdvice | undefined {
  return byReason.get(reason);
}
