import { ByteReader, decoded, type Decoded } from '@tinkerbell/wire';
import { netFn, type IpmiRequest } from '../message/ipmi-message.ts';

export const chassisStatusCommand = 0x01;
export const chassisControlCommand = 0x02;

/** Get Chassis Status (section 28.2). */
export interface ChassisStatus {
  readonly isPowered: boolean;
  readonly hasPowerFault: boolean;
}

export const chassisStatusRequest: IpmiRequest = {
  netFn: netFn.chassis,
  command: chassisStatusCommand,
  bytes: new Uint8Array(),
};

const POWERED = 0x01;
const POWER_FAULT = 0x08;

export function decodeChassisStatus(bytes: Uint8Array): Decoded<ChassisStatus> {
  return decoded(() => {
    const reader = new ByteReader(bytes);
    const state = reader.uint8('current power state');
    reader.skip(2, 'last power event and chassis state');
    return { isPowered: (state & POWERED) !== 0, hasPowerFault: (state & POWER_FAULT) !== 0 };
  });
}

export function encodeChassisStatus({ isPowered, hasPowerFault }: ChassisStatus): Uint8Array {
  return Uint8Array.of((isPowered ? POWERED : 0) | (hasPowerFault ? POWER_FAULT : 0), 0, 0);
}

/** The operations of Chassis Control (section 28.3). */
export const chassisOperations = ['off', 'on', 'cycle', 'reset', 'diagnostic-interrupt', 'soft'] as const;
export type ChassisOperation = (typeof chassisOperations)[number];

export function chassisControlRequest(operation: ChassisOperation): IpmiRequest {
  const bytes = Uint8Array.of(chassisOperations.indexOf(operation));
  return { netFn: netFn.chassis, command: chassisControlCommand, bytes };
}

/** Returns undefined for an operation that the specification does not have. */
export function chassisOperationOf(bytes: Uint8Array): ChassisOperation | undefined {
  return chassisOperations[(bytes[0] ?? 0xff) & 0x0f];
}
