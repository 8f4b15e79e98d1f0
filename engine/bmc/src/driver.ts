/**
 * The contract of every BMC driver. A driver logs in to one BMC. A session performs one operation at a time: its caller does not
 * start another one before the first has ended.
 *
 * A method of a session that is absent is an operation that the protocol does not have. A method that rejects with `unsupported` is
 * one that this BMC does not have. Both let the caller try the next driver. Each write resolves when the BMC has accepted it. Whether
 * it had an effect is checked by the caller, who reads the state back (G17 of docs/reference/guarantees.md).
 */
import type { Clock, EndpointTrust, Random } from '@tinkerbell/platform-contract';
import type { OutOfBandAttributes } from '@tinkerbell/resources';

/** The names of `spec.connection.providerOptions.preferredOrder`, as upstream spells them, and the two that have options only. */
export type ProviderName = 'ipmitool' | 'gofish' | 'intelamt' | 'rpc' | 'homeassistant';

export type PowerState = 'on' | 'off' | 'unknown';

/** `soft` asks the operating system to shut down. `cycle` turns the power off and on. `reset` restarts without it. */
export type PowerOperation = 'on' | 'off' | 'soft' | 'cycle' | 'reset';

export const bootDevices = ['pxe', 'disk', 'bios', 'cdrom', 'safe', 'none'] as const;
export type BootDevice = (typeof bootDevices)[number];

export interface BootSetting {
  /** `none` clears the override. Only read-back and clean-up use it. */
  readonly device: BootDevice;
  /** False: for the next boot only. */
  readonly persistent: boolean;
  readonly efiBoot: boolean;
  /** UEFI HTTP boot from this URL, with device `pxe`. Drivers without it reject with `unsupported`. */
  readonly httpBootUri?: string;
}

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
  inventory?(): Promise<OutOfBandAttributes>;
  openConsole?(): Promise<SerialConsole>;
}

export interface BmcDriver<Options = unknown> {
  readonly name: ProviderName;
  /** Logs in. Rejects with a BmcError, also when the signal aborts. */
  open(target: BmcTarget, options: Options, signal: AbortSignal): Promise<BmcSession>;
}

export interface DriverDeps {
  readonly clock: Clock;
  readonly random: Random;
}
