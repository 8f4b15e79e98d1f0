export interface DhcpConfig {
  /** One socket each (dhcp-bind-interface). Empty: all network interfaces share one socket. */
  readonly networkInterfaces: readonly string[];
  /** dhcp-bind-addr. */
  readonly address: string;
  /** 67, except in tests. In the proxy modes, 4011 is used as well. */
  readonly port: number;
}
