/** What a user decides about a simulated fleet. */
import type { Ipv4 } from '@tinkerbell/wire';

export interface FleetOptions {
  /** Everything random comes from it. */
  readonly seed: number;
  readonly machines: number;
  /** The namespace of the objects. */
  readonly namespace: string;
  /** The address of the relay. Those of the machines follow it, in the same network of 8 bits. All must be addresses of this host. */
  readonly relayAddress: Ipv4;
  readonly bootServer: {
    /** IPv4. */
    readonly address: string;
    readonly dhcpPort: number;
    readonly tftpPort: number;
  };
  /** Machines that are switched on and not done, at most. */
  readonly atOnce: number;
  /** Machines that are switched on per second, at most. */
  readonly perSecond: number;
  /** Shares from 0 to 1: of UDP packets that are lost or doubled in each direction, and of machines that crash once. */
  readonly loss: number;
  readonly duplication: number;
  readonly crashes: number;
  /** Machines start this many times as fast as real ones. They wait for the server as long as real ones. */
  readonly speed: number;
  /** Actions of the Workflow of a machine, and how long one takes, ms. */
  readonly actions: number;
  readonly workMs: { readonly min: number; readonly max: number };
  /** What is read of kernel and initramfs. */
  readonly images: 'none' | 'head' | 'whole';
  /** A machine that is not done after this time has failed, ms. */
  readonly timeoutMs: number;
  /** Leaves the objects. */
  readonly keep: boolean;
  /** Runs beside Hardware that is not from this run. */
  readonly besideOthers: boolean;
}
