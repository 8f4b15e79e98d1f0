import type { IpxeFeature } from '@tinkerbell/ipxe';
import type { Ipv4, MacFormat } from '@tinkerbell/wire';
import type { AddressPool } from './dhcp/pool.ts';
import type { ProxyAllowList } from './dhcp/proxy-allow-list.ts';

/** The settings of DHCP replies. Upstream's flags are in brackets. */
export interface NetbootSettings {
  /**
   * `reservation`: address and boot settings of a Hardware. `proxy`: boot settings of a Hardware only, beside a foreign DHCP
   * server that assigns the addresses. `auto-proxy`: the same, and unknown machines boot the in-memory OS (dhcp-mode).
   */
  readonly mode: 'reservation' | 'proxy' | 'auto-proxy';
  /** The clients that the proxy modes may answer (default: all). Upstream has no such list. */
  readonly proxyAllow?: ProxyAllowList;
  /** Addresses for machines whose Hardware names none, in reservation mode only (dhcp-pool, which upstream does not have). */
  readonly pools?: readonly AddressPool[];
  /** True when machines without Hardware that got an address of a pool boot the in-memory OS too (dhcp-pool-netboot). */
  readonly poolNetboot?: boolean;
  /** The server's address in options 54 and siaddr (dhcp-ip-for-packet). */
  readonly serverAddress: Ipv4;
  /** Option 7 (dhcp-syslog-ip). */
  readonly syslogAddress?: Ipv4;
  /** When false, replies contain address settings only (dhcp-enable-netboot-options). */
  readonly netbootOptionsEnabled: boolean;
  /** The address and port of the TFTP server for clients (dhcp-tftp-ip, dhcp-tftp-port). */
  readonly tftp: { readonly address: Ipv4; readonly port: number };
  /** The URL of the iPXE binaries, with a slash at its end, and its address (dhcp-ipxe-http-binary-*). */
  readonly httpBinary: { readonly url: string; readonly address: Ipv4 };
  /** The URL of the script, such as `http://192.0.2.1:7080/ipxe/script/auto.ipxe` (dhcp-ipxe-http-script-*). */
  readonly scriptUrl: string;
  /** Puts the MAC before the script URL's last element (dhcp-ipxe-http-script-prepend-mac). */
  readonly scriptUrlHasMac: boolean;
  /** The format of the MAC in binary paths (ipxe-binary-inject-mac-addr-format). */
  readonly macFormat: MacFormat;
  /** Binaries by architecture number, which override the table (ipxe-override-arch-mapping). */
  readonly architectureOverrides: ReadonlyMap<number, string>;
  /**
   * `when-needed` (default): an iPXE that has HTTP gets its script at once, whatever its build. `always`: upstream's rule. Only
   * an iPXE of user class `Tinkerbell` gets a script, and every other iPXE first gets the server's binary. That requires binaries
   * that send `Tinkerbell`: a stock iPXE sends `iPXE` before and after chaining and would chain for ever.
   */
  readonly chainloading: 'when-needed' | 'always';
  /**
   * The features that an iPXE must have, besides HTTP, to run a script now. An iPXE in a ROM that lacks one first gets the
   * server's binary. The server's binary must have them all, or it would be sent to itself for ever. Versions do not distinguish
   * builds: many report 1.0.0.
   */
  readonly ipxeFeatures?: readonly IpxeFeature[];
  /**
   * When true (default), a machine that may not netboot, or whose workflows are all finished, gets a script that boots its disk.
   * When false, it follows upstream's rule: it gets no script (404) or the in-memory OS again.
   */
  readonly bootLocalWhenIdle: boolean;
  /**
   * Returns true for a binary that clients would request from this server and that it does not have. When absent, every file is
   * assumed to exist, as with binaries of another server.
   */
  readonly lacksBinary?: (name: string, protocol: 'http' | 'tftp') => boolean;
}

/** The settings of the script for the in-memory OS. Upstream's flags are in brackets. */
export interface HookScriptSettings {
  /** The URL of kernel and initrd (ipxe-http-script-osie-url). */
  readonly osieUrl: string;
  /** Without `-<arch>` (default: `vmlinuz`) (ipxe-http-script-kernel-name). */
  readonly kernelName?: string;
  /** Without `-<arch>` (default: `initramfs`) (ipxe-http-script-initrd-name). */
  readonly initrdName?: string;
  /** An address or a name (default: none) (ipxe-script-syslog-fqdn, else dhcp-syslog-ip). */
  readonly syslogHost?: string;
  /** `host:port` of the workflow server (ipxe-script-tink-server-addr-port). */
  readonly grpcAuthority: string;
  readonly tls: boolean;
  readonly insecureTls: boolean;
  /**
   * The token with which the agent proves the machine it runs on. When absent, the argument is omitted too. Upstream has none.
   */
  readonly bootToken?: string;
  /**
   * True to name the URL of kernel and initrd in the argument `hook_url`. Our in-memory OS downloads its segments from there.
   * Upstream has no such argument.
   */
  readonly namesHookUrl?: boolean;
  /**
   * Pairs `registry=URL` for the argument `registry_mirrors`, separated by commas. Our agent asks these URLs first. Upstream has no
   * such argument.
   */
  readonly registryMirrors?: string;
  readonly extraKernelArguments: readonly string[];
  readonly retries: number;
  readonly retryDelaySeconds: number;
}
