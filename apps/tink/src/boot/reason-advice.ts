/** For each cause of silence: what it means, and what to do. */
import type { IgnoreReason, V6IgnoreReason, V6NoBootReason } from '@tinkerbell/netboot';

export interface ReasonAdvice {
  /** What to do next, in the imperative; absent when nothing is wrong. */
  readonly next?: string;
  /** In half a sentence, why it is so. */
  readonly meaning: string;
}

/** Refusals of iPXE scripts and ISO images. */
type ServingReason =
  | 'script-value-invalid'
  | 'value-invalid'
  | 'not-an-iso'
  | 'no-source'
  | 'source-invalid'
  | 'source-unavailable';

const FIELD = 'correct the field that the message names, with tink apply';
const DAMAGED = 'look for a broken client or relay; a capture of UDP 67 shows the packet';
const RELAY = 'correct the relay’s configuration';
const harmless = (meaning: string): ReasonAdvice => ({ meaning });
const wrong = (meaning: string, next: string): ReasonAdvice => ({ meaning, next });

export const reasonAdvice: Readonly<
  Record<IgnoreReason | V6IgnoreReason | V6NoBootReason | ServingReason, ReasonAdvice>
> = {
  'not-a-request': harmless('it was another server’s reply'),
  'too-many-hops': wrong('relays send it round in circles', RELAY),
  'too-many-requests': wrong(
    'the machine asks in a loop',
    'look at its console, or power it off for a minute',
  ),
  'no-message-type': wrong('the packet is BOOTP, which is not served', 'switch the firmware to DHCP or PXE'),
  'malformed-option': wrong('an option of the packet is damaged', DAMAGED),
  'relay-address-invalid': wrong('the relay names no address that could be answered', RELAY),
  'client-address-invalid': wrong('the client names an address that could not be answered', DAMAGED),
  'no-hardware-address': wrong(
    'the packet has no MAC (InfiniBand sends none)',
    'boot it from an Ethernet port',
  ),
  'client-released': harmless('the machine gave its address back'),
  'client-declined': wrong(
    'another host has the machine’s address',
    'find that host, or change spec.interfaces[].dhcp.ip.address',
  ),
  'unknown-message-type': wrong('the packet asks for something that is not served', DAMAGED),
  'other-server-selected': wrong(
    'the machine chose another DHCP server',
    'run tink preflight: switch that server off, or run --dhcp-mode=proxy beside it',
  ),
  'netboot-options-disabled': wrong(
    'the server was told to send no boot files',
    'start it without --dhcp-enable-netboot-options=false',
  ),
  'not-a-netboot-client': harmless(
    'an operating system asked, which in proxy mode is the other server’s business',
  ),
  'address-wanted': harmless('it asked for its address, which in proxy mode is the other server’s business'),
  'no-binary': wrong(
    'no boot file is known for its architecture',
    'name one: --ipxe-override-arch-mapping=ARCHITECTURE=FILE',
  ),
  'mac-not-allowed': wrong('its MAC is not in --dhcp-proxy-allow-mac', 'add the beginning of its MAC there'),
  'subnet-not-allowed': wrong('it is not in a network of --dhcp-proxy-allow-subnet', 'add its network there'),
  'link-unknown': wrong(
    'nobody can tell which network it is in',
    'name the network interfaces: --dhcp-bind-interface',
  ),
  'no-lease': wrong(
    'it wants to keep an address that was not given by this server',
    'wait: it asks anew when its own lease ends, or restart it',
  ),
  'pool-exhausted': wrong('the address pool is used up', 'enlarge --dhcp-pool, or shorten its lease='),
  'address-being-probed': harmless('its address is being probed; it asks again'),
  'lease-not-written': wrong(
    'the lease could not be written',
    'look for a full disk under --data-dir; the log has the error',
  ),
  'no-hardware': wrong('no Hardware has its MAC', 'register it: tink hardware push --file FILE'),
  'several-hardware': wrong('several Hardware have its MAC', 'delete all but one: tink delete hardware NAME'),
  'dhcp-disabled': wrong('its Hardware forbids DHCP', 'remove disableDhcp from the network interface'),
  'no-netboot-data': wrong(
    'its Hardware is not complete',
    'give the network interface both dhcp and netboot',
  ),
  'address-invalid': wrong('the address in its Hardware is none', FIELD),
  'address-not-ipv4': wrong('the address in its Hardware is not an IPv4 one', FIELD),
  'netmask-invalid': wrong('the netmask in its Hardware is none', FIELD),
  'gateway-invalid': wrong('the gateway in its Hardware is no address', FIELD),
  'static-route-invalid': wrong('a static route in its Hardware cannot be sent', FIELD),
  'ipxe-url-invalid': wrong('netboot.ipxe.url of its Hardware cannot be used', FIELD),
  'osie-url-invalid': wrong('netboot.osie.baseURL of its Hardware cannot be used', FIELD),
  'script-value-invalid': wrong('a value in its Hardware is not safe in a script', FIELD),
  'value-invalid': wrong('a value in its Hardware is not safe in a kernel command line', FIELD),
  'netboot-not-allowed': wrong(
    'its Hardware does not allow netboot',
    'set netboot.allowPXE to true, or let a workflow do it',
  ),
  'server-not-named': wrong('a DHCPv6 message lacks its server', DAMAGED),
  'server-named': wrong('a DHCPv6 message names a server and must not', DAMAGED),
  'client-not-named': wrong('a DHCPv6 message lacks its client', DAMAGED),
  'addresses-in-information-request': wrong('a DHCPv6 message asks for what it must not', DAMAGED),
  'no-mac': wrong(
    'nothing in the request tells the MAC',
    'have the relay add it (RFC 6939), or the client use a DUID with its MAC',
  ),
  'nothing-to-confirm': harmless('there was no address to confirm'),
  'tftp-over-ipv6': wrong(
    'the firmware loads by TFTP over IPv6, which is not served',
    'switch it to HTTP boot, or to IPv4',
  ),
  'no-ipv6-url': wrong(
    'the server has no URL at an IPv6 address',
    'set --dhcpv6-ipxe-http-binary-url and --dhcpv6-ipxe-http-script-url',
  ),
  'not-an-iso': wrong('the URL names no ISO image', 'use /iso/<mac>/<name>.iso'),
  'no-source': wrong('it is not said which image to patch', 'name it as the message says'),
  'source-invalid': wrong('the image’s URL cannot be used', FIELD),
  'source-unavailable': wrong('the image could not be fetched', 'open its URL from the server’s machine'),
};

/** Undefined for a reason of a newer server. */
export function adviceOn(reason: unknown): ReasonAdvice | undefined {
  return Object.entries(reasonAdvice).find(([name]) => name === reason)?.[1];
}
