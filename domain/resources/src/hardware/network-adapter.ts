import { Type } from '../schema.ts';
import { int32, optional } from '../schema-builders.ts';
import { firmwareVersion, model, serialNumber, text, vendor } from './component.ts';

const port = Type.Object({
  enabledCapabilities: optional(
    'Enabled features and offloads. Only an agent can report them.',
    Type.Array(Type.String()),
  ),
  linkStatus: text('Link state as the BMC reports it, for example `LinkUp`.'),
  mac: text('MAC address of the port.'),
  mtu: optional('Maximum packet size in bytes (MTU).', int32()),
  portID: text('Name of the port in the BMC, for example `NIC.Embedded.1`.'),
  speedMbps: optional('Link speed in Mbit/s.', int32()),
});

/** A network card with its ports. */
export const NetworkAdapter = Type.Object({
  firmwareVersion,
  model,
  name: text('Name in the OS, for example `eno1`. Only an agent can report it.'),
  ports: optional('Physical ports of the adapter.', Type.Array(port)),
  serialNumber,
  vendor,
});
