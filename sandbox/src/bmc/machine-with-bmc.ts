/** What a simulated BMC controls when it belongs to a virtual machine: its power, its next boot, and its serial port. */
import type { BootFlags, ChassisOperation } from '@tinkerbell/ipmi';
import type { BootOnce, Machine } from '../qemu-machine.ts';
import { PlainMachine, type SimulatedMachine, type SimulatedSerial } from './simulated-machine.ts';

/** Create the machine with `bootOrder: 'disk'`, so that only its BMC can make it boot from the network. */
export function controlledMachine(
  machine: Machine,
): SimulatedMachine & { readonly operations: readonly string[] } {
  const { device, inventories, sensorRecords, readings } = new PlainMachine();
  const operations: string[] = [];
  const controlled = {
    device,
    inventories,
    events: [],
    sensorRecords,
    readings,
    bootFlags: undefined as BootFlags | undefined,
    serial: serialOf(machine),
    operations,
    isOn: () => machine.isOn(),
    async power(operation: ChassisOperation): Promise<void> {
      operations.push(operation);
      if (operation === 'diagnostic-interrupt') return;
      if (operation !== 'on') await machine.powerOff();
      if (operation === 'off' || operation === 'soft') return;
      await machine.powerOn(bootOnceOf(controlled.bootFlags));
      if (controlled.bootFlags?.isPersistent !== true) controlled.bootFlags = undefined;
    },
  };
  return controlled;
}

function bootOnceOf(flags: BootFlags | undefined): BootOnce | undefined {
  if (flags?.device === 'pxe') return 'network';
  return flags?.device === 'disk' ? 'disk' : undefined;
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
