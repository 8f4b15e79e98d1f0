import type { ChassisOperation, IpmiBootDevice } from '@tinkerbell/ipmi';
import type { ReadableDisc } from './nbd-server.ts';
import { PlainMachine, type SimulatedMachine } from './simulated-machine.ts';

/** What a simulated Redfish service controls, beyond what a BMC with IPMI does. */
export interface RedfishSimulatedMachine extends SimulatedMachine {
  /** The URL of the image in the virtual CD drive. */
  media?: string | undefined;
  httpBootUri?: string | undefined;
  /** The disc of a drive that a session redirects. */
  redirectedDisc?: ReadableDisc | undefined;
  /** Whether the boot device `cdrom` is that drive. */
  bootsRedirectedDisc?: boolean;
}

/** A machine that remembers what was done to it, and uses its boot setting when it starts. */
export class PlainRedfishMachine extends PlainMachine implements RedfishSimulatedMachine {
  media: string | undefined;
  httpBootUri: string | undefined;
  redirectedDisc: ReadableDisc | undefined;
  bootsRedirectedDisc = false;
  /** The device of each start. `none`: the boot order of the firmware. */
  readonly boots: IpmiBootDevice[] = [];

  override power(operation: ChassisOperation): void {
    const isStart = operation === 'on' ? !this.isPowered : operation === 'cycle' || operation === 'reset';
    super.power(operation);
    if (!isStart) return;
    this.isPowered = true;
    this.boots.push(this.bootFlags?.device ?? 'none');
    if (this.bootFlags?.isPersistent === true) return;
    this.bootFlags = undefined;
    this.httpBootUri = undefined;
  }
}
