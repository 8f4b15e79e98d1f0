import type { IpxeFeature } from '@tinkerbell/ipxe';
import type { Ipv4, MacFormat } from '@tinkerbell/wire';
import type { AddressPool } from './dhcp/pool.ts';
import type { ProxyAllowList } from './dhcp/proxy-allow-list.ts';

/** What DHCP replies say. The words in brackets are upstream's flags. */
export interface NetbootSettings {
  /**
   * `reservation`: address and boot settings of a Hardware. `proxy`: boot settings of a Hardware only, beside a foreign DHCP
   * server that gives the addresses. `auto-proxy`: the same, and unknown machines boot the in-memory OS (dhcp-mode).
   */
  readonly mode: 'reservation' | 'proxy' | 'auto-proxy';
  /** Whom the proxy modes may answer at all; absent: everybody. Upstream has no such list. */
  readonly proxyAllow?: ProxyAllowList;
  /** Addresses for machines whose Hardware names none, in reservation mode only (dhcp-pool, an option of our own). */
  readonly pools?: readonly AddressPool[];
  /** True: machines without Hardware that got an address of a pool boot the in-memory OS too (dhcp-pool-netboot). */
  readonly poolNetboot?: boolean;
  /** Our address in options 54 and siaddr (dhcp-ip-for-packet). */
  readonly serverAddress: Ipv4;
  /** Option 7 (dhcp-syslog-ip). */
  readonly syslogAddress?: Ipv4;
  /** False: replies carry address settings only (dhcp-enable-netboot-options). */
  readonly netbootOptionsEnabled: boolean;
  /** Where clients find our TFTP (dhcp-tftp-ip, dhcp-tftp-port). */
  readonly tftp: { readonly address: Ipv4; readonly port: number };
  /** URL of the iPXE binaries, ending in a slash, and the address behind it (dhcp-ipxe-http-binary-*). */
  readonly httpBinary: { readonly url: string; readonly address: Ipv4 };
  /** URL of the script, such as `http://192.0.2.1:7080/ipxe/script/auto.ipxe` (dhcp-ipxe-http-script-*). */
  readonly scriptUrl: string;
  /** Puts the MAC before the script URL's last element (dhcp-ipxe-http-script-prepend-mac). */
  readonly scriptUrlHasMac: boolean;
  /** How the MAC is spelled in binary paths (ipxe-binary-inject-mac-addr-format). */
  readonly macFormat: MacFormat;
  /** Binary by architecture number, before the table (ipxe-override-arch-mapping). */
  readonly architectureOverrides: ReadonlyMap<number, string>;
  /**
   * `when-needed` (default): an iPXE that has HTTP gets its script at once, whoever built it. `always`: upstream's rule,
   * only an iPXE of user class `Tinkerbell` gets a script and every other iPXE is sent our binary first. That needs
   * binaries which say `Tinkerbell`: a stock iPXE says `iPXE` before and after chaining and would chain for ever.
   */
  readonly chainloading: 'when-needed' | 'always';
  /**
   * What an iPXE must have to run a script now, besides HTTP. One in a ROM that lacks it is sent our binary first. Our binary
   * must have it all: it would be sent to itself for ever. (Versions cannot tell them apart: many builds say 1.0.0.)
   */
  readonly ipxeFeatures?: readonly IpxeFeature[];
  /**
   * True (default): a machine that may not netboot, or whose workflows are all finished, is told to boot its disk. False:
   * upstream's rule, it gets no script (404) or the in-memory OS again.
   */
  readonly bootLocalWhenIdle: boolean;
  /**
   * True for a binary that clients would ask this server for and not get. Absent: every file is taken to be there, as with
   * binaries of another server.
   */
  readonly lacksBinary?: (name: string, protocol: 'http' | 'tftp') => boolean;
}

/** What the script for the in-memory OS says. The words in brackets are upstream's flags. */
export interface HookScriptSettings {
  /** Where kernel and initrd are (ipxe-http-script-osie-url). */
  readonly osieUrl: string;
  /** Without `-<arch>`; `vmlinuz` when absent (ipxe-http-script-kernel-name). */
  readonly kernelName?: string;
  /** Without `-<arch>`; `initramfs` when absent (ipxe-http-script-initrd-name). */
  readonly initrdName?: string;
  /** Address or name; none when absent (ipxe-script-syslog-fqdn, else dhcp-syslog-ip). */
  readonly syslogHost?: string;
  /** `host:port` of the workflow server (ipxe-script-tink-server-addr-port). */
  readonly grpcAuthority: string;
  readonly tls: boolean;
  readonly insecureTls: boolean;
  /** What the agent proves with whose machine it runs on; absent: the argument too. Upstream has none. */
  readonly bootToken?: string;
  readonly extraKernelArguments: readonly string[];
  readonly retries: number;
  readonly retryDelaySeconds: number;
}
