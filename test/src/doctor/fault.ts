/** A machine that does not boot for one reason, and the id of the cause that the doctor must find. */
import type {
  ApiObject,
  Firmware,
  Machine,
  MachineOptions,
  PrivateNetwork,
  RunningServer,
} from '@tinkerbell/sandbox';
import type { MachineBmc } from '@tinkerbell/sandbox/bmc';
import type { BootFiles } from '../firmware/boot.ts';
import type { Lab } from '../firmware/lab.ts';

export interface Fault {
  readonly name: string;
  /** Also in `npm test`, which has time for some of them, and what differs there. BIOS firmware starts in a moment. */
  readonly inTest?: Omit<Partial<Fault>, 'name' | 'cause' | 'inTest'>;
  /** Absent: the machine boots, and nothing may be found. */
  readonly cause?: string;
  readonly firmware: Firmware;
  readonly flags?: readonly string[];
  /** Fields of `netboot` of the Hardware. `SERVER` is the address of the server. */
  readonly netboot?: Readonly<Record<string, unknown>>;
  /** The MAC in the Hardware differs from that of the machine by one digit. */
  readonly hasWrongMac?: boolean;
  /** The address of the Hardware is in the network of the server, wherever the machine is. */
  readonly hasServerNetwork?: boolean;
  /** Another Hardware has the MAC as well. */
  readonly hasTwin?: boolean;
  /** Arguments of iptables on the server, for packets of the machine. */
  readonly dropped?: readonly string[];
  /** The actions of the Template, or a Template that does not render. Absent: no workflow. */
  readonly actions?: string;
  /** Of the Workflow. */
  readonly isDisabled?: boolean;
  /** Sizes of image files of zeros, in bytes, by name. */
  readonly images?: Readonly<Record<string, number>>;
  /** The size to which a file of the in-memory OS is cut, in bytes. */
  readonly cutTo?: Readonly<Record<string, number>>;
  /** The server uses TLS. `trusted`: the in-memory OS has its authority. */
  readonly tls?: 'trusted' | 'unknown';
  /** Further arguments of the kernel. */
  readonly kernelArguments?: readonly string[];
  readonly machine?: Pick<MachineOptions, 'memoryMebibytes' | 'clockStart'>;
  /**
   * The machine is in a network of its own. `none`: no relay forwards its requests. `lost`: one does, to an address without a server. `asked`:
   * the server may ask the relay to try something.
   */
  readonly relay?: 'right' | 'lost' | 'none' | 'asked';
  /** The verdict must also have this evidence, which may come later. */
  readonly evidence?: RegExp;
  /** A BMC powers the machine on for its Workflow. */
  readonly bmc?: BmcOfFault;
  /** The data folder of the server is a file system of this size, in mebibytes. */
  readonly diskMebibytes?: number;
  /** Called before the machine is powered on. */
  readonly disturb?: (site: DisturbedSite) => Promise<void>;
  /** Called when the machine starts. */
  readonly meddle?: (running: RunningFault) => Promise<void>;
}

export interface BmcOfFault {
  readonly protocol: 'ipmi' | 'redfish';
  /** It reports success and does not set the boot device, or the firmware does not use it. */
  readonly ignores?: 'boot-device' | 'override';
  readonly hasWrongPassword?: boolean;
  /** How long machines like it take from power-on to their first packet (default: 20). */
  readonly usualStartSeconds?: number;
  /** An operating system is on the disk, before the machine is powered on. */
  readonly hasInstalledDisk?: boolean;
}

export interface DisturbedSite {
  readonly lab: Lab;
  readonly server: RunningServer;
  /** The port of the machine on its bridge. */
  readonly port: string;
  /** The address in the Hardware. */
  readonly address: string;
  readonly directory: string;
  readonly cleanup: AsyncDisposableStack;
}

export interface FaultPlace {
  readonly fault: Fault;
  /** Identifies the boots of one process: 1 to 250. */
  readonly index: number;
  readonly network: PrivateNetwork;
  readonly files: BootFiles;
  /** An empty folder. */
  readonly directory: string;
}

export interface RunningFault {
  readonly server: RunningServer;
  readonly hardware: ApiObject;
  readonly machine: Machine;
  readonly bmc: MachineBmc | undefined;
}

export const MEBIBYTE = 1024 * 1024;

export const ERASE = `
      - name: erase
        image: quay.io/tinkerbell/actions/erase:latest
        timeout: 90
        environment:
          ERASE_DISK: /dev/vda
          ERASE_METHOD: overwrite`;

/** The text of a Template with one task for the machine. */
export function templateData(actions: string): string {
  return `version: "0.1"
name: work
global_timeout: 600
tasks:
  - name: work
    worker: "{{.device_1}}"
    actions:${actions}
`;
}
