import type { UnknownMachines } from '@tinkerbell/enrollment';
import type { HookScriptSettings, NetbootSettings } from '@tinkerbell/netboot';
import type {
  AddressProbe,
  BootTokenMint,
  Clock,
  Files,
  HttpClient,
  LinkLayer,
  Log,
  OpenOwnedDirectory,
  RouterDiscovery,
  Udp,
  Tracer,
  Udp6,
} from '@tinkerbell/platform-contract';
import type { Journal, LeaseBook, View } from '@tinkerbell/store-contract';
import type { TransferLimits } from '@tinkerbell/tftp';
import type { IpNetwork } from '@tinkerbell/wire';
import type { DhcpConfig } from './dhcp/dhcp-config.ts';
import type { StartDhcpThread } from './dhcp/thread/start-thread.ts';
import type { AllowedSources } from './iso/address-policy.ts';

export interface BootDeps {
  readonly udp: Udp;
  readonly files: Files;
  readonly clock: Clock;
  readonly log: Log;
  readonly view: View;
  readonly journal: Journal;
  /** Records machines that request a boot and are not registered. Absent: they are not recorded. */
  readonly unknownMachines?: Pick<UnknownMachines, 'see'>;
  /** Absent: no traces are collected. */
  readonly tracer?: Tracer;
  /** Both are required when `netboot.pools` is not empty. */
  readonly leases?: LeaseBook;
  readonly probe?: AddressProbe;
  /** Absent: kernel arguments have no boot token. */
  readonly bootTokens?: BootTokenMint;
  /** Absent: other servers are noticed only by clients that choose them. */
  readonly linkLayer?: LinkLayer;
  /** Required for `dhcpv6`. */
  readonly udp6?: Udp6;
  /** Required for `routerAdvertisements`. */
  readonly routerDiscovery?: RouterDiscovery;
  /** Both are required for `iso`. */
  readonly httpClient?: HttpClient;
  readonly openDirectory?: OpenOwnedDirectory;
  /** Absent: DHCP packets wait for whatever else the main thread does. */
  readonly startDhcpThread?: StartDhcpThread;
}

/** The settings of the service. The names in parentheses are upstream's flags. */
export interface BootConfig {
  readonly netboot: NetbootSettings;
  readonly hook: HookScriptSettings;
  /** Absent: no DHCP (dhcp-enabled). */
  readonly dhcp?: DhcpConfig;
  /** Absent: no DHCPv6, which upstream does not have. */
  readonly dhcpv6?: Dhcpv6Config;
  /**
   * Absent: no advertisements. Only for networks without an IPv6 router, where iPXE waits for one (ipv6-router-advertisements,
   * which upstream does not have).
   */
  readonly routerAdvertisements?: RouterAdvertisementConfig;
  /** Absent: no TFTP (tftp-server-enabled). */
  readonly tftp?: TftpConfig;
  /** Absent: no syslog receiver (syslog-enabled). */
  readonly syslog?: SyslogConfig;
  /** The directory of undionly.kpxe, ipxe.efi, snp-arm64.efi and any other file that `netboot` may name. It is flat. */
  readonly ipxeDirectory: string;
  /**
   * The directory of kernel and initrd of the in-memory OS, for boot loaders that load them by TFTP. Absent: TFTP does not serve
   * them.
   */
  readonly hookDirectory?: string;
  /** May hold the operator's own `hook.ipxe`, which then replaces the generated one. So may the hook directory. */
  readonly imagesDirectory?: string;
  /** Replaces the placeholder in binaries that have one. Empty leaves them unchanged (ipxe-embedded-script-patch). */
  readonly ipxePatch: string;
  /** Proxies whose X-Forwarded-For is trusted when a script is requested without a MAC (trusted-proxies). */
  readonly trustedProxies: readonly IpNetwork[];
  /** ipxe-http-binary-enabled and ipxe-http-script-enabled. */
  readonly routes: { readonly binary: boolean; readonly script: boolean };
  /** Also serves the files of TFTP by HTTP, below this path (pxe-http-enabled and its prefix, `/tftp/`). Absent: disabled. */
  readonly pxeHttpPrefix?: string;
  /** Absent: no ISO images (iso-enabled). */
  readonly iso?: IsoConfig;
}

export interface Dhcpv6Config {
  /** One socket each, on port 547. */
  readonly networkInterfaces: readonly string[];
  /** URL of the iPXE binaries at an IPv6 address, ending in a slash. Absent: replies name no binary. */
  readonly httpBinaryV6Url?: string;
  /** URL of the script at an IPv6 address. Absent: replies name no script. */
  readonly scriptV6Url?: string;
}

export interface RouterAdvertisementConfig {
  readonly networkInterfaces: readonly string[];
  /** True: advertisements instruct hosts to ask DHCPv6 for everything but addresses. Set it only where DHCPv6 answers. */
  readonly hasDhcpv6: boolean;
}

export interface SyslogConfig {
  /** syslog-bind-addr. */
  readonly address: string;
  /** 514, except in tests (syslog-bind-port). */
  readonly port: number;
}

export interface IsoConfig {
  /** The image of machines whose Hardware names none (iso-upstream-url). Absent: the server's own image. */
  readonly upstreamUrl?: string;
  /** The directory of the server's own images, `hook-<architecture>.iso`. */
  readonly ownDirectory: string;
  /** The text that is replaced by the kernel arguments (iso-patch-magic-string). ASCII. */
  readonly magic: string;
  /** Machines get their address from the image (iso-static-ipam-enabled). */
  readonly staticIpam: boolean;
  readonly allowed: AllowedSources;
  /** The directory for images from URLs, created when the first one is requested. */
  readonly cacheDirectory: string;
  readonly cacheBytesMax: number;
}

export interface TftpConfig {
  readonly address: string;
  /** 0 lets the platform choose a port. */
  readonly port: number;
  /**
   * True sends all transfers from the server's port, which works through NAT. Otherwise each transfer has a port
   * (tftp-single-port).
   */
  readonly singlePort: boolean;
  /** Without a largest block size, the size follows the MTU of the network interface on the client's link. */
  readonly limits: Omit<TransferLimits, 'blockSizeBytesMax'> & { readonly blockSizeBytesMax?: number };
  readonly transfersMax: number;
  readonly transfersPerClientMax: number;
  /** The directory of further files (tftp-asset-dir). */
  readonly assetDirectory?: string;
}

/**
 * A site of ten thousand machines powered on at once has a transfer for each. A client has one transfer, or two when it probes
 * sizes. More from one address come from machines behind NAT, up to a thousand.
 */
export const defaultTftpCaps = { transfersMax: 16_384, transfersPerClientMax: 2_048 } as const;
