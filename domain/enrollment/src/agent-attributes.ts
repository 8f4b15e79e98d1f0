/**
 * What an agent reports about its machine: the message `proto.AgentAttributes`, as plain values. A field that
 * was not sent is not an own property.
 */

export interface AgentAttributes {
  readonly cpu?: Cpu | undefined;
  readonly memory?: { readonly total?: string; readonly usable?: string } | undefined;
  readonly block?: readonly BlockDevice[];
  readonly network?: readonly NetworkDevice[];
  readonly pci?: readonly BusDevice[];
  readonly gpu?: readonly BusDevice[];
  readonly chassis?: { readonly serial?: string; readonly vendor?: string } | undefined;
  readonly bios?:
    | { readonly vendor?: string; readonly version?: string; readonly releaseDate?: string }
    | undefined;
  readonly baseboard?: Baseboard | undefined;
  readonly product?:
    | { readonly name?: string; readonly vendor?: string; readonly serialNumber?: string }
    | undefined;
}

interface Cpu {
  readonly totalCores?: number;
  readonly totalThreads?: number;
  readonly processors?: readonly Processor[];
}

interface Processor {
  readonly id?: number;
  readonly cores?: number;
  readonly threads?: number;
  readonly vendor?: string;
  readonly model?: string;
  readonly capabilities?: readonly string[];
}

export interface BlockDevice {
  readonly name?: string;
  readonly controllerType?: string;
  readonly driveType?: string;
  readonly size?: string;
  readonly physicalBlockSize?: string;
  readonly vendor?: string;
  readonly model?: string;
  readonly wwn?: string;
  readonly serialNumber?: string;
}

export interface NetworkDevice {
  readonly name?: string;
  readonly mac?: string;
  readonly speed?: string;
  readonly enabledCapabilities?: readonly string[];
}

interface BusDevice {
  readonly vendor?: string;
  readonly product?: string;
  readonly class?: string;
  readonly driver?: string;
}

interface Baseboard {
  readonly vendor?: string;
  readonly product?: string;
  readonly version?: string;
  readonly serialNumber?: string;
}
