/** Every flag of the server. Names and defaults are upstream's where upstream has the flag. */
import { accessFlags } from '../access/access-flags.ts';
import { agentAuthFlags } from './agent-auth-settings.ts';
import type { Flag, FlagType } from './flag.ts';
import { gatewayFlags } from '../gateway/flags.ts';
import { logLevelFlags } from './log-levels.ts';
import { asFlags, upstreamFlags } from './upstream-flags.ts';

function flag(name: string, type: FlagType, fallback: string, description: string): Flag {
  return { name, type, default: fallback, description };
}

const general: readonly Flag[] = [
  flag(
    'config',
    'text',
    '',
    'a YAML file of flags and their values; the command line and the environment win over it',
  ),
  flag('data-dir', 'text', './data', 'folder of the database; made when it is not there'),
  flag(
    'accept-loss',
    'boolean',
    'false',
    'start with what is intact of a damaged database; the damaged files are kept in <data-dir>/damaged-<time>. For one start: without it a damaged database is refused',
  ),
  flag(
    'store',
    'text',
    'sqlite',
    'where objects and records are kept: sqlite (a file in the data folder), memory (nothing is kept), postgres (for several servers), kubernetes (the API of a cluster)',
  ),
  flag(
    'postgres-url',
    'text',
    '',
    'with --store postgres: postgres://user:password@host:5432/database; better in the environment, as it has a password',
  ),
  flag(
    'kubeconfig',
    'text',
    '',
    'with --store kubernetes: how to reach the cluster; as a pod is told to when empty',
  ),
  flag(
    'secrets-key-file',
    'text',
    '',
    'keys with which Secrets are sealed in the store: 32 bytes in base64, one a line; the first seals, all open; not sealed when empty',
  ),
  flag('secrets-key', 'text', '', 'the same keys in the environment, as TINKERBELL_SECRETS_KEY'),
  flag(
    'journal-max-age',
    'duration',
    '2160h',
    'records of timelines and lines of output are kept for so long',
  ),
  flag('journal-max-records', 'number', '1000000', 'records of timelines kept; the oldest go first'),
  flag(
    'journal-max-output-lines',
    'number',
    '500000',
    'lines of output of actions kept; the oldest go first',
  ),
  flag('log-format', 'text', '', 'text or json; text when standard error is a terminal'),
  flag(
    'otel-endpoint',
    'text',
    '',
    'collector of traces, OTLP over gRPC, as host:port; OTEL_EXPORTER_OTLP_ENDPOINT when empty, and no traces without either',
  ),
  flag('otel-insecure', 'boolean', 'false', 'no TLS to the collector of traces'),
  flag(
    'shutdown-delay-duration',
    'duration',
    '0s',
    'after a signal, serve on for so long while /readyz says no, so that load balancers look away first',
  ),
  flag(
    'public-ipv4',
    'text',
    '',
    'our address as machines see it; found from the bound or default-route network interface',
  ),
  flag('bind-address', 'text', '0.0.0.0', 'address to listen on'),
  flag('http-port', 'number', '7080', 'port of scripts, binaries, images and API'),
  flag('http-stack-ports', 'text', '', 'more ports for machines, without the API: 8080,7171'),
  flag('https-port', 'number', '7443', 'port of the same over TLS, when there is a certificate'),
  flag('tls-cert-file', 'text', '', 'certificate for HTTPS and gRPC, PEM'),
  flag('tls-key-file', 'text', '', 'key for HTTPS and gRPC, PEM'),
  flag('enable-smee', 'boolean', 'true', 'run DHCP, TFTP, scripts and binaries'),
  flag('enable-tink-server', 'boolean', 'true', 'run the gRPC service of agents'),
  flag('enable-tink-controller', 'boolean', 'true', 'run the workflow controller'),
  flag('enable-images', 'boolean', 'true', 'serve image files'),
  flag('images-dir', 'text', '', 'folder served under /images/; <data-dir>/images'),
  flag(
    'hook-dir',
    'text',
    '',
    'folder served under /hook/, with kernel and initramfs of the in-memory OS; <data-dir>/hook',
  ),
];

const dhcp: readonly Flag[] = [
  flag('dhcp-enabled', 'boolean', 'true', 'answer DHCP'),
  flag(
    'dhcp-mode',
    'text',
    'reservation',
    'reservation; proxy: boot files only, beside another DHCP server; auto-proxy: to unknown machines too',
  ),
  flag(
    'dhcp-proxy-allow-mac',
    'list',
    '',
    'proxy modes: answer only MACs that begin so, such as 52:54:00; all when empty',
  ),
  flag(
    'dhcp-proxy-allow-subnet',
    'list',
    '',
    'proxy modes: answer only relays and network interfaces in these networks, such as 10.1.0.0/16; all when empty',
  ),
  flag('dhcp-enable-netboot-options', 'boolean', 'true', 'send boot file and next server'),
  flag('dhcp-bind-addr', 'text', '0.0.0.0', 'address to listen on'),
  flag('dhcp-bind-interface', 'list', '', 'network interfaces to serve; all on one socket when empty'),
  flag('dhcp-bind-port', 'number', '67', 'port to listen on; another one is for tests'),
  flag(
    'dhcp-pool',
    'text',
    '',
    'addresses for machines whose Hardware names none, where there is no other DHCP: 192.0.2.100-192.0.2.200/24,gateway=192.0.2.1,dns=192.0.2.53,lease=1h; several separated by ;',
  ),
  flag('dhcp-pool-netboot', 'boolean', 'false', 'boot the in-memory OS on machines without Hardware too'),
  flag('dhcp-ip-for-packet', 'text', '', 'our address in replies; public-ipv4'),
  flag('dhcp-syslog-ip', 'text', '', 'syslog server told to machines; public-ipv4 where syslog-enabled'),
  flag('dhcp-tftp-ip', 'text', '', 'TFTP server told to machines; public-ipv4'),
  flag('dhcp-tftp-port', 'number', '69', 'TFTP port told to machines'),
  ...urlFlags('dhcp-ipxe-http-binary', '/ipxe/binary/', 'iPXE binaries'),
  ...urlFlags('dhcp-ipxe-http-script', '/ipxe/script/auto.ipxe', 'iPXE scripts'),
  flag('dhcp-ipxe-http-script-prepend-mac', 'boolean', 'true', 'put the MAC into the script URL'),
];

function urlFlags(prefix: string, path: string, what: string): Flag[] {
  return [
    flag(`${prefix}-scheme`, 'text', 'http', `scheme of the URL of ${what}`),
    flag(`${prefix}-host`, 'text', '', `host of the URL of ${what}; public-ipv4`),
    flag(`${prefix}-port`, 'number', '', `port of the URL of ${what}; http-port`),
    flag(`${prefix}-path`, 'text', path, `path of the URL of ${what}`),
  ];
}

const dhcpv6: readonly Flag[] = [
  flag(
    'dhcpv6-enabled',
    'boolean',
    'false',
    'answer DHCPv6 too: boot file URL, name servers, and the address of the Hardware',
  ),
  flag('dhcpv6-bind-interface', 'list', '', 'network interfaces to serve; dhcp-bind-interface'),
  flag(
    'dhcpv6-ipxe-http-binary-url',
    'text',
    '',
    'URL of iPXE binaries at an IPv6 address, such as http://[2001:db8::1]:7080/ipxe/binary/',
  ),
  flag(
    'dhcpv6-ipxe-http-script-url',
    'text',
    '',
    'URL of the script at an IPv6 address, such as http://[2001:db8::1]:7080/ipxe/script/auto.ipxe',
  ),
  flag(
    'ipv6-router-advertisements',
    'boolean',
    'false',
    'answer router solicitations where there is no IPv6 router: an old iPXE waits 4 to 16 s for one',
  ),
];

const ipxe: readonly Flag[] = [
  flag(
    'ipxe-binary-dir',
    'text',
    '',
    'folder with undionly.kpxe, ipxe.efi and others; what npm start fetched (out/ipxe), else /usr/lib/ipxe',
  ),
  flag('ipxe-http-binary-enabled', 'boolean', 'true', 'serve binaries over HTTP'),
  flag('ipxe-http-script-enabled', 'boolean', 'true', 'serve scripts over HTTP'),
  flag(
    'ipxe-http-script-extra-kernel-args',
    'arguments',
    '',
    'further kernel arguments, separated by spaces; may be given several times',
  ),
  flag('ipxe-http-script-kernel-name', 'text', 'vmlinuz', 'kernel file, without -<arch>'),
  flag('ipxe-http-script-initrd-name', 'text', 'initramfs', 'initramfs file, without -<arch>'),
  flag('ipxe-http-script-osie-url', 'text', '', 'where kernel and initramfs are; our own /hook/'),
  flag('ipxe-http-script-retries', 'number', '1', 'retries of a download in the script'),
  flag('ipxe-http-script-retry-delay', 'number', '1', 'seconds between them'),
  flag('ipxe-script-syslog-fqdn', 'text', '', 'syslog host in the script; dhcp-syslog-ip'),
  flag(
    'ipxe-script-tink-server-addr-port',
    'text',
    '',
    'gRPC address told to agents; public-ipv4:tink-server-bind-port',
  ),
  flag('ipxe-script-tink-server-use-tls', 'boolean', 'false', 'tell agents to use TLS'),
  flag(
    'ipxe-script-tink-server-insecure-tls',
    'boolean',
    'false',
    'tell agents not to check the certificate',
  ),
  flag(
    'ipxe-script-boot-local-when-idle',
    'boolean',
    'true',
    'boot the disk when there is no work; upstream boots the in-memory OS again',
  ),
  flag('ipxe-embedded-script-patch', 'text', '', 'text put into the placeholder of binaries'),
  flag('ipxe-binary-inject-mac-addr-format', 'text', 'colon', 'colon, dot, dash or no-delimiter'),
  flag('ipxe-override-arch-mapping', 'list', '', '<architecture>=<binary>, comma separated'),
  flag(
    'ipxe-chainloading',
    'text',
    'when-needed',
    'when-needed, or always: chain our binary unless the client is Tinkerbell’s own iPXE',
  ),
  flag(
    'ipxe-needed-features',
    'list',
    '',
    'send our binary first to an iPXE in a ROM that lacks one of these, such as https or nfs',
  ),
];

const tftp: readonly Flag[] = [
  flag('tftp-server-enabled', 'boolean', 'true', 'serve TFTP'),
  flag('tftp-server-bind-addr', 'text', '', 'address to listen on; bind-address'),
  flag('tftp-server-bind-port', 'number', '69', 'port to listen on'),
  flag('tftp-timeout', 'duration', '1s', 'first wait for an acknowledgement'),
  flag('tftp-block-size', 'number', '0', 'largest block; 0: what the network interface carries in one frame'),
  flag(
    'tftp-single-port',
    'boolean',
    'true',
    'send everything from one port, which passes NAT; else each file from a port of its own',
  ),
  flag('tftp-asset-dir', 'text', '', 'folder with further files'),
  flag('pxe-http-enabled', 'boolean', 'false', 'serve the files of TFTP over HTTP too'),
  flag('pxe-http-path-prefix', 'text', '/tftp/', 'below this path'),
];

const iso: readonly Flag[] = [
  flag('iso-enabled', 'boolean', 'true', 'serve ISO images for virtual media under /iso/'),
  flag('iso-upstream-url', 'text', '', 'image of machines whose Hardware names none; our own in hook-dir'),
  flag(
    'iso-patch-magic-string',
    'text',
    '',
    'text in an image that is replaced by kernel arguments; the one of HookOS and of our own image',
  ),
  flag(
    'iso-static-ipam-enabled',
    'boolean',
    'false',
    'put the addresses of the Hardware into the image, for networks without DHCP',
  ),
  flag('iso-cache-size', 'number', '4096', 'mebibytes of images of URLs kept in <data-dir>/iso-cache'),
  flag(
    'iso-allow-source',
    'list',
    '',
    'hosts and networks images may come from although they are loopback or link-local',
  ),
];

const syslog: readonly Flag[] = [
  flag('syslog-enabled', 'boolean', 'true', 'receive syslog into the timeline of machines'),
  flag('syslog-bind-addr', 'text', '', 'address to listen on; bind-address'),
  flag('syslog-bind-port', 'number', '514', 'port to listen on'),
];

const relay: readonly Flag[] = [
  flag('enable-relay', 'boolean', 'false', 'relay DHCP of other networks to servers'),
  flag('relay-interface', 'list', '', 'network interfaces the clients are on'),
  flag('relay-server', 'list', '', 'addresses of the DHCP servers; each gets every request'),
  flag('relay-hops-max', 'number', '16', 'packets that passed this many relays are dropped'),
  flag(
    'relay-address',
    'text',
    '',
    'our address as servers reach it, with relay-link-selection; else of the interface',
  ),
  flag('relay-information', 'boolean', 'false', 'add relay agent information (option 82)'),
  flag('relay-remote-id', 'text', '', 'remote id in option 82'),
  flag('relay-link-selection', 'boolean', 'false', 'name the subnet of the clients in option 82 (RFC 3527)'),
  flag('relay-server-override', 'boolean', 'false', 'clients renew through the relay (RFC 5107)'),
  flag(
    'relay-information-of-others',
    'text',
    'forward',
    'option 82 of relays before us: forward, append, replace or discard',
  ),
  flag('relay-information-of-clients', 'boolean', 'false', 'clients may send option 82: a switch adds it'),
];

const tootles: readonly Flag[] = [
  flag('enable-tootles', 'boolean', 'true', 'serve instance metadata'),
  flag(
    'tootles-legacy-port',
    'number',
    '50061',
    'also serve instance metadata on the port that Hegel had; 0: do not',
  ),
  flag('trusted-proxies', 'list', '', 'networks whose X-Forwarded-For is believed'),
  flag('tootles-instance-endpoint', 'boolean', 'false', 'serve metadata by instance id to anyone'),
  flag(
    'tootles-session-tokens',
    'text',
    'optional',
    'optional, or required: metadata only with a token (IMDSv2)',
  ),
];

const tinkServer: readonly Flag[] = [
  flag('tink-server-bind-addr', 'text', '', 'address of gRPC; bind-address'),
  flag('tink-server-bind-port', 'number', '42113', 'port of gRPC'),
  flag(
    'provisioning-namespace',
    'text',
    'default',
    'namespace of the Hardware, Templates and jobs of the Provisioning API',
  ),
  flag(
    'tink-server-auto-discovery-enabled',
    'boolean',
    'false',
    'make a Hardware for a machine that is in none, of what its agent tells',
  ),
  flag('tink-server-auto-discovery-namespace', 'text', 'default', 'namespace of discovered Hardware'),
  flag(
    'tink-server-auto-discovery-auto-enrollment-enabled',
    'boolean',
    'false',
    'discovered Hardware may be enrolled later too, not only when it is discovered',
  ),
  flag(
    'tink-server-auto-discovery-approval',
    'boolean',
    'false',
    'discovered Hardware is enrolled only after tink hardware approve',
  ),
  flag('tink-server-auto-discovery-max', 'number', '1000', 'discovered Hardware at one time'),
  flag(
    'tink-server-auto-enrollment-enabled',
    'boolean',
    'false',
    'make a Workflow by WorkflowRuleSets for an agent that has none',
  ),
];

const tinkController: readonly Flag[] = [
  flag(
    'tink-controller-reference-allow-list-rules',
    'text',
    '',
    'which objects of spec.references templates may see although a rule denies them: event patterns separated by |',
  ),
  flag(
    'tink-controller-reference-deny-list-rules',
    'text',
    '',
    'which they may not see: event patterns separated by |; all when empty',
  ),
];

export const flags: readonly Flag[] = [
  ...general,
  ...accessFlags,
  ...agentAuthFlags,
  ...dhcp,
  ...dhcpv6,
  ...ipxe,
  ...tftp,
  ...iso,
  ...syslog,
  ...tootles,
  ...relay,
  ...gatewayFlags,
  ...tinkServer,
  ...tinkController,
  ...logLevelFlags,
  ...asFlags(upstreamFlags),
  flag('version', 'boolean', 'false', 'print the version and end'),
  flag('help', 'boolean', 'false', 'print this text and end'),
];
