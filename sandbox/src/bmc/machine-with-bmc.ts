/** What a simulated BMC controls when it belongs to a virtual machine: its power, its next boot, its CD drive, and its serial port. */
import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import type { BootFlags, ChassisOperation } from '@tinkerbell/ipmi';
import type { BootOnce, Machine } from '../qemu-machine.ts';
import { NbdServer, type ReadableDisc } from './nbd-server.ts';
import type { RedfishSimulatedMachine } from './redfish-machine.ts';
import { PlainMachine, type SimulatedSerial } from './simulated-machine.ts';

export interface ControlledMachine extends RedfishSimulatedMachine {
  /** The chassis operations, in order. */
  readonly operations: readonly string[];
}

/**
 * Create the machine with `bootOrder: 'disk'`, so that only its BMC can make it boot from another device. Images are downloaded into
 * the folder when the machine starts from them.
 */
export function controlledMachine(machine: Machine, directory: string): ControlledMachine {
  const { device, inventories, sensorRecords, readings } = new PlainMachine();
  const operations: string[] = [];
  /** Of the machine that runs. */
  let drive: NbdServer | undefined;
  const exported = async (disc: ReadableDisc | undefined): Promise<string | undefined> => {
    drive = disc && (await NbdServer.open(disc));
    return drive?.url;
  };
  const controlled = {
    device,
    inventories,
    events: [],
    sensorRecords,
    readings,
    bootFlags: undefined as BootFlags | undefined,
    media: undefined as string | undefined,
    httpBootUri: undefined as string | undefined,
    redirectedDisc: undefined as ReadableDisc | undefined,
    bootsRedirectedDisc: false,
    serial: serialOf(machine),
    operations,
    isOn: () => machine.isOn(),
    async power(operation: ChassisOperation): Promise<void> {
      operations.push(operation);
      if (operation === 'diagnostic-interrupt') return;
      if (operation !== 'on') await machine.powerOff();
      if (operation !== 'on') await drive?.[Symbol.asyncDispose]();
      if (operation === 'off' || operation === 'soft') return;
      const { bootFlags, media, httpBootUri, redirectedDisc, bootsRedirectedDisc } = controlled;
      const image = bootsRedirectedDisc
        ? () => exported(redirectedDisc)
        : () => download(media, join(directory, `${machine.name}.iso`));
      const setting = { flags: bootFlags, httpBootUri };
      await machine.powerOn(await bootOnceOf(setting, image));
      if (bootFlags?.isPersistent === true) return;
      controlled.bootFlags = undefined;
      controlled.httpBootUri = undefined;
    },
  };
  return controlled;
}

interface BootOverride {
  readonly flags: BootFlags | undefined;
  readonly httpBootUri: string | undefined;
}

async function bootOnceOf(
  { flags, httpBootUri }: BootOverride,
  image: () => Promise<string | undefined>,
): Promise<BootOnce | undefined> {
  if (flags?.device === 'pxe') return httpBootUri === undefined ? 'network' : { httpUri: httpBootUri };
  if (flags?.device === 'disk') return 'disk';
  const cdrom = flags?.device === 'cdrom' ? await image() : undefined;
  return cdrom === undefined ? undefined : { cdrom };
}

/** Returns the file, or undefined when no image is inserted or the server does not send it: then the drive is empty. */
async function download(url: string | undefined, path: string): Promise<string | undefined> {
  if (url === undefined) return undefined;
  const response = await fetch(url);
  if (!response.ok || response.body === null) return undefined;
  await writeFile(path, response.body);
  return path;
}

function serialOf(machine: Machine): SimulatedSerial {
  const serial: SimulatedSerial = {
    onOutput: () => undefined,
    write: (characters) => machine.type(characters),
    sendBreak: () => undefined,
  };
  machine.serial.onBytes((chunk) => serial.onOutput(chunk));
  return serial;
}
