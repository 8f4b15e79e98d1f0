/** What a BMC controls, in the words of every protocol. */

export type PowerState = 'on' | 'off' | 'unknown';

/** `soft` asks the operating system to shut down. `cycle` turns the power off and on. `reset` restarts without it. */
export type PowerOperation = 'on' | 'off' | 'soft' | 'cycle' | 'reset';

/** The devices that Tasks may name. */
export const bootDevices = ['pxe', 'disk', 'bios', 'cdrom', 'safe'] as const;

/** `none` clears the override. Only read-back and clean-up use it. */
export type BootDevice = (typeof bootDevices)[number] | 'none';

export interface BootSetting {
  readonly device: BootDevice;
  /** False: for the next boot only. */
  readonly persistent: boolean;
  readonly efiBoot: boolean;
  /** UEFI HTTP boot from this URL, with device `pxe`. Drivers without it reject with `unsupported`. */
  readonly httpBootUri?: string;
}
