import type { BootFlags, ChassisOperation, DeviceId } from '@tinkerbell/ipmi';

/** What a simulated BMC controls: a virtual machine, or the plain one below. */
export interface SimulatedMachine {
  isOn(): boolean | Promise<boolean>;
  power(operation: ChassisOperation): void | Promise<void>;
  /** Undefined: no boot option was set. The machine clears it when it used it. */
  bootFlags: BootFlags | undefined;
  readonly serial: SimulatedSerial;
  readonly device: DeviceId;
  /** The contents of inventory devices, by id. */
  readonly inventories: ReadonlyMap<number, Uint8Array>;
  /** Records of the event log, 16 bytes each. */
  readonly events: Uint8Array[];
  /** Sensor data records, each with its header. */
  readonly sensorRecords: readonly Uint8Array[];
  /** Raw readings, by sensor number. */
  readonly readings: ReadonlyMap<number, number>;
}

/** The serial port of a machine. */
export interface SimulatedSerial {
  /** Set by whoever reads the port. */
  onOutput: (characters: Uint8Array) => void;
  write(characters: Uint8Array): void;
  sendBreak(): void;
}

/** A machine that only remembers what was done to it. Its serial port echoes. */
export class PlainMachine implements SimulatedMachine {
  isPowered = false;
  bootFlags: BootFlags | undefined;
  readonly operations: ChassisOperation[] = [];
  readonly serial: EchoingSerial = new EchoingSerial();
  readonly device: DeviceId = {
    deviceId: 0x20,
    deviceRevision: 1,
    hasSensorRecords: true,
    firmwareVersion: '2.14',
    isUpdating: false,
    ipmiVersion: '2.0',
    support: 0x8f, // chassis, inventory, event log, sensor data records, sensors
    manufacturerId: 0,
    productId: 1,
  };
  inventories: ReadonlyMap<number, Uint8Array> = new Map();
  events: Uint8Array[] = [];
  sensorRecords: readonly Uint8Array[] = [];
  readings: ReadonlyMap<number, number> = new Map();

  isOn(): boolean {
    return this.isPowered;
  }

  power(operation: ChassisOperation): void {
    this.operations.push(operation);
    if (operation === 'on') this.isPowered = true;
    if (operation === 'off' || operation === 'soft') this.isPowered = false;
  }
}

export class EchoingSerial implements SimulatedSerial {
  onOutput: (characters: Uint8Array) => void = () => undefined;
  breaks = 0;

  write(characters: Uint8Array): void {
    this.onOutput(characters);
  }

  sendBreak(): void {
    this.breaks += 1;
  }
}
