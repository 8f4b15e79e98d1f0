/**
 * The contract of every BMC driver. A driver logs in to one BMC. A session performs one operation at a time: its caller does not
 * start another one before the first has ended.
 *
 * A method of a session that is absent is an operation that the protocol does not have. A method that rejects with `unsupported` is
 * one that this BMC does not have. Both let the caller try the next driver. Each write resolves when the BMC has accepted it. Whether
 * it had an effect is checked by the caller, who reads the state back (G17 of docs/reference/guarantees.md).
 */
import type { BootSetting, PowerOperation, PowerState, ProviderName } from '@tinkerbell/bmc';
import type { Clock, EndpointTrust, Random } from '@tinkerbell/platform-contract';
import type { OutOfBandAttributes } from '@tinkerbell/resources';

/** An absent URL: the drive is empty. */
export interface MediaState {
  readonly url?: string;
}

export interface BmcCredentials {
  readonly username: string;
  readonly password: string;
}

export interface BmcTarget {
  /** An address or a DNS name. IPv6 addresses have no brackets. */
  readonly host: string;
  /** Absent: the usual port of the protocol. */
  readonly port?: number;
  readonly credentials: BmcCredentials;
  readonly trust: EndpointTrust;
  /** The limit for each request and its answer, with all repetitions. */
  readonly timeoutMs: number;
}

/** The bytes of a serial console. */
export interface SerialConsole extends AsyncDisposable {
  /** Ends when the BMC or the caller closes the console, and fails with a BmcError when the connection is lost. */
  readonly output: ReadableStream<Uint8Array>;
  /** Resolves when the BMC has accepted all bytes, so that a fast writer waits for a slow serial port. */
  write(bytes: Uint8Array): Promise<void>;
  /** Sends a break, where the protocol has it. */
  sendBreak?(): Promise<void>;
}

/** What a BMC sends its events to. */
export interface NewSubscription {
  /** A URL. */
  readonly destination: string;
  /** The BMC repeats it in each event. */
  readonly context: string;
}

export interface ListedSubscription {
  readonly path: string;
  readonly destination: string;
  /** Undefined: the BMC does not show it. */
  readonly context: string | undefined;
}

export interface EventSubscriptions {
  list(): Promise<readonly ListedSubscription[]>;
  create(wanted: NewSubscription): Promise<void>;
  /** Removes one that `list` has returned. */
  remove(listed: ListedSubscription): Promise<void>;
}

export interface BmcSession extends AsyncDisposable {
  readonly provider: ProviderName;
  powerState(): Promise<PowerState>;
  setPower(operation: PowerOperation): Promise<void>;
  setBootDevice?(setting: BootSetting): Promise<void>;
  /** Reads the setting that the next boot uses. Undefined: the BMC does not report it. */
  bootDevice?(): Promise<BootSetting | undefined>;
  /** Inserts the image into the virtual CD drive. Undefined ejects. */
  setVirtualMedia?(url: string | undefined): Promise<void>;
  virtualMedia?(): Promise<MediaState | undefined>;
  /** True where this process itself serves the image, so that it is gone with the process. */
  readonly servesMedia?: boolean;
  inventory?(): Promise<OutOfBandAttributes>;
  /** Changes the password of an account, which may be that of the session. */
  setPassword?(username: string, password: string): Promise<void>;
  openConsole?(): Promise<SerialConsole>;
  /** Absent: the protocol sends no events. */
  readonly events?: EventSubscriptions;
  /** The SHA-256 of the certificate of the BMC, in lower-case hex, to be pinned. Undefined: the connection has no TLS. */
  certificateSha256?(): string | undefined;
}

export interface BmcDriver<Options = unknown> {
  readonly name: ProviderName;
  /** Logs in. Rejects with a BmcError, also when the signal aborts. */
  open(target: BmcTarget, options: Options, signal: AbortSignal): Promise<BmcSession>;
  /** Ends the image that this process serves to a BMC, without a login. */
  endMedia?(host: string, options: Options): Promise<void>;
  /** Ends what outlives its sessions. */
  close?(): Promise<void>;
}

export interface DriverDeps {
  readonly clock: Clock;
  readonly random: Random;
}
