/**
 * A machine like a server: firmware that boots from the network first and from its disk second, network
 * cards, disks, a serial port, and power. It always uses software emulation, because nested KVM is not
 * reliable.
 */
import { open, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startChild, type RunningChild } from './child-process.ts';
import { emulatorOf, firmwareArguments, isArm, type Firmware } from './firmware.ts';
import {
  diskDevice,
  disksOf,
  driveOf,
  type AttachedDisk,
  type DiskBus,
  type MoreDisk,
} from './machine-disks.ts';
import { connectQmp, type QmpClient } from './qmp-client.ts';
import { createSerialConsole, type SerialConsole } from './serial-console.ts';

export interface NetworkCard {
  readonly mac: string;
  readonly port: string;
}

export interface MachineOptions {
  readonly name: string;
  readonly mac: string;
  /** A port of the network to which the machine is connected. */
  readonly port: string;
  readonly firmware: Firmware;
  /** The folder for the disk and other files of the machine. */
  readonly directory: string;
  readonly memoryMebibytes?: number;
  readonly diskBytes?: number;
  /** Where the disk is connected (default: virtio, which is /dev/vda). */
  readonly diskBus?: DiskBus;
  /** Further network cards, on other ports. The machine does not boot from them. */
  readonly moreCards?: readonly NetworkCard[];
  /** Further disks, in the order of their letters. The machine does not boot from them. */
  readonly moreDisks?: readonly MoreDisk[];
  /**
   * What it boots from: the network first and the disk second (default), or the disk alone, unless it is powered on for another
   * device.
   */
  readonly bootOrder?: 'network-first' | 'disk';
  /** An image in the CD drive, from which the machine boots first. Absent: no drive. */
  readonly cdromPath?: string;
  /** The SMBIOS system serial number (default: the name). cloud-init reads the URL of its seed from it. */
  readonly serialNumber?: string;
  /** SMBIOS system UUID. */
  readonly uuid?: string;
  /** The DER of the authority that UEFI HTTPS boot trusts. */
  readonly certificateAuthority?: Uint8Array;
  /** The time of its clock when it is powered on, `2016-01-01T00:00:00` (default: the time of this machine). */
  readonly clockStart?: string;
}

export interface Machine {
  readonly name: string;
  readonly mac: string;
  readonly serial: SerialConsole;
  readonly diskPath: string;
  /** The file of each disk, the first one included. */
  readonly diskPaths: readonly string[];
  /** Types into the serial port. */
  type(bytes: Uint8Array): void;
  isOn(): boolean;
  /**
   * Resolves when the processor runs. The disk keeps its content. With `bootOnce`, the machine boots from nothing else, until it
   * restarts by itself.
   */
  powerOn(bootOnce?: BootOnce): Promise<void>;
  /** Pulls the plug. */
  powerOff(): Promise<void>;
  /** Presses the reset button. */
  reset(): Promise<void>;
  /** Resolves, with the end of QEMU's output, if the machine ends by itself. */
  readonly failed: Promise<string>;
}

/** `cdrom`: the file of an image that a BMC has inserted. `httpUri`: what UEFI firmware boots from over HTTP. */
export type BootOnce = 'network' | 'disk' | { readonly cdrom: string } | { readonly httpUri: string };

const MEMORY_MEBIBYTES = 1024;

/** Creates the machine, powered off, with an empty disk. */
export async function createMachine(options: MachineOptions): Promise<Machine> {
  const disks = await emptyDisks(options);
  const diskPaths = disks.map(({ path }) => path);
  const [diskPath = ''] = diskPaths;
  const serial = createSerialConsole();
  // The path of a UNIX socket is limited to 107 bytes, which a deep checkout exceeds.
  const socket = join(tmpdir(), `tinkerbell-${process.pid}-${options.name}.qmp`);
  let running: { child: RunningChild; qmp: QmpClient } | undefined;
  const stopped = new WeakSet<RunningChild>();
  let reportFailure: (text: string) => void = () => undefined;
  const failed = new Promise<string>((resolve) => {
    reportFailure = resolve;
  });

  async function powerOn(bootOnce?: BootOnce): Promise<void> {
    if (running !== undefined) return;
    const firmware = await firmwareArguments({ ...options, httpBootUri: httpUriOf(bootOnce) });
    await rm(socket, { force: true });
    const words = [...machineArguments(options, { disks, socket, bootOnce }), ...firmware];
    const child = await startChild(emulatorOf(options.firmware), words, { stdin: 'pipe' });
    let complaint = '';
    child.process.stdout?.on('data', (chunk: Buffer) => serial.push(chunk));
    child.process.stderr?.on('data', (chunk: Buffer) => {
      complaint = (complaint + chunk.toString()).slice(-2000);
    });
    void child.ended.then((end) => {
      if (stopped.has(child)) return;
      running = undefined;
      // A machine that restarts by itself has used the setting for one boot.
      if (bootOnce !== undefined && end === 0) void powerOn();
      else reportFailure(`QEMU ended (${end}): ${complaint.trim()}`);
    });
    running = { child, qmp: await connectQmp(socket) };
  }

  async function powerOff(): Promise<void> {
    const ending = running;
    running = undefined;
    ending?.qmp.close();
    if (ending !== undefined) stopped.add(ending.child);
    await ending?.child.stop();
    await rm(socket, { force: true });
  }

  return {
    name: options.name,
    mac: options.mac,
    serial,
    diskPath,
    diskPaths,
    failed,
    isOn: () => running !== undefined,
    type: (bytes) => void running?.child.process.stdin?.write(bytes),
    powerOn,
    powerOff,
    async reset() {
      await running?.qmp.execute('system_reset');
    },
  };
}

async function emptyDisks(options: MachineOptions): Promise<readonly AttachedDisk[]> {
  const disks = disksOf(options);
  for (const { path, bytes } of disks) {
    await (await open(path, 'w')).close();
    await truncate(path, bytes);
  }
  return disks;
}

function httpUriOf(bootOnce: BootOnce | undefined): string | undefined {
  return typeof bootOnce === 'object' && 'httpUri' in bootOnce ? bootOnce.httpUri : undefined;
}

interface MachineParts {
  readonly disks: readonly AttachedDisk[];
  readonly socket: string;
  readonly bootOnce: BootOnce | undefined;
}

function machineArguments(
  options: MachineOptions,
  { disks, socket, bootOnce }: MachineParts,
): readonly string[] {
  const isBios = options.firmware === 'bios';
  // Without its ROM, the firmware's own network stack drives the card, as on a real UEFI server.
  const rom = isBios ? '' : ',romfile=';
  const system = [
    `serial=${options.serialNumber ?? options.name}`,
    ...(options.uuid === undefined ? [] : [`uuid=${options.uuid}`]),
  ];
  const boots = bootsFrom(options, bootOnce);
  const cdrom = typeof bootOnce === 'object' && 'cdrom' in bootOnce ? bootOnce.cdrom : options.cdromPath;
  const cards = cardsOf(options);
  const memory = String(options.memoryMebibytes ?? MEMORY_MEBIBYTES);
  return flatten({
    '-name': options.name,
    '-accel': 'tcg',
    '-smp': '1',
    '-m': memory,
    ...boardOf(options.firmware),
    '-nodefaults': [],
    '-vga': 'none',
    '-display': 'none',
    '-serial': 'stdio',
    ...(boots.isStrict ? { '-boot': 'strict=on' } : {}),
    ...(bootOnce === undefined ? {} : { '-no-reboot': [] }),
    ...(options.clockStart === undefined ? {} : { '-rtc': `base=${options.clockStart}` }),
    '-qmp': `unix:${socket},server=on,wait=off`,
    '-smbios': `type=1,manufacturer=Tinkerbell,product=Sandbox,${system.join(',')}`,
    '-netdev': cards.map(({ port }, index) => `tap,id=net${index},ifname=${port},script=no,downscript=no`),
    '-drive': [...disks.map(driveOf), ...cdromDrive(cdrom)],
    '-device': [
      ...cdromDevice(cdrom),
      // Newer UEFI firmware has no network stack without a source of randomness.
      'virtio-rng-pci',
      `virtio-net-pci,netdev=net0,mac=${options.mac}${boots.network ? ',bootindex=1' : ''}${rom}`,
      ...cards.slice(1).map(({ mac }, index) => `virtio-net-pci,netdev=net${index + 1},mac=${mac},romfile=`),
      ...disks.flatMap((disk) => diskDevice(disk, boots.disk)),
    ],
  });
}

/** The first is the one from which the machine boots. */
function cardsOf(options: MachineOptions): readonly NetworkCard[] {
  return [options, ...(options.moreCards ?? [])];
}

/** Strict: the firmware tries nothing else. */
function bootsFrom({ bootOrder = 'network-first' }: MachineOptions, bootOnce: BootOnce | undefined) {
  if (bootOrder === 'network-first' && bootOnce === undefined)
    return { network: true, disk: true, isStrict: false };
  const device = bootOnce ?? 'disk';
  return { network: device === 'network', disk: device === 'disk', isStrict: true };
}

function cdromDrive(cdromPath: string | undefined): readonly string[] {
  return cdromPath === undefined
    ? []
    : [`if=none,id=cd0,media=cdrom,file=${cdromPath},format=raw,readonly=on`];
}

/** Connected by USB, like virtual media of a BMC. */
function cdromDevice(cdromPath: string | undefined): readonly string[] {
  return cdromPath === undefined ? [] : ['qemu-xhci', 'usb-storage,drive=cd0,bootindex=0'];
}

/** graphics=off sends firmware and boot loader output to the serial port. */
const PC_BOARD = { '-machine': 'q35,graphics=off' };
/** Firmware with Secure Boot protects its variables with the system management mode. */
const SECURE_PC_BOARD = {
  '-machine': 'q35,graphics=off,smm=on',
  '-global': 'driver=cfi.pflash01,property=secure,value=on',
};
const ARM_BOARD = { '-machine': 'virt', '-cpu': 'cortex-a57' };

function boardOf(firmware: Firmware): Readonly<Record<string, string>> {
  if (isArm(firmware)) return ARM_BOARD;
  return firmware === 'uefi-secure' ? SECURE_PC_BOARD : PC_BOARD;
}

/** Returns an option with its value, repeated for several values, and alone when it has none. */
function flatten(options: Readonly<Record<string, string | readonly string[]>>): readonly string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    if (typeof value === 'string') return [name, value];
    return value.length === 0 ? [name] : value.flatMap((each) => [name, each]);
  });
}
