/** A record of a machine's timeline. The journal's records have this shape. */
export interface TimelineRecord {
  readonly sequence: number;
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  /** The part of the server that wrote it: `dhcp`, `tftp`, `http`, `image`, `syslog`, `agent`, `workflow`, `bmc`, `server`. */
  readonly source: string;
  readonly event: string;
  readonly machine?: string;
  /** `<namespace>/<name>`. */
  readonly workflow?: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, string | number | boolean | null>>;
}
