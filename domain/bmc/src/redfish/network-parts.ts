/** The schemas NetworkAdapter, Port, NetworkPort and EthernetInterface. */
import { objectIn, objectsIn, textIn, textsIn, type RedfishObject } from '@tinkerbell/redfish';
import { countIn, identityOf, isAbsent, present } from './part-fields.ts';

export interface RawAdapter {
  readonly adapter: RedfishObject;
  readonly ports: readonly RedfishObject[];
}

const MBIT_OF_GBIT = 1000;

/** Adapters with their ports. A service without them has interfaces, each of which counts as an adapter with one port. */
export function networkOf(adapters: readonly RawAdapter[], interfaces: readonly RedfishObject[]) {
  const found = adapters.filter(({ adapter }) => !isAbsent(adapter)).map(adapterOf);
  return found.length > 0 ? found : interfaces.map(interfaceOf);
}

function adapterOf({ adapter, ports }: RawAdapter) {
  const [controller] = objectsIn(adapter, 'Controllers');
  return present({
    ...identityOf(adapter),
    firmwareVersion: textIn(controller, 'FirmwarePackageVersion'),
    ports: ports.length === 0 ? undefined : ports.map(portOf),
  });
}

/** NetworkPort is the older form of Port. */
function portOf(port: RedfishObject) {
  const mac =
    textsIn(objectIn(port, 'Ethernet'), 'AssociatedMACAddresses') ??
    textsIn(port, 'AssociatedNetworkAddresses');
  return present({
    linkStatus: textIn(port, 'LinkStatus'),
    mac: mac?.[0]?.toLowerCase(),
    portID: textIn(port, 'Id'),
    speedMbps: countIn(port, 'CurrentSpeedGbps', MBIT_OF_GBIT) ?? countIn(port, 'CurrentLinkSpeedMbps'),
  });
}

/** An EthernetInterface, of the machine or of its BMC. */
export function interfaceOf(resource: RedfishObject) {
  const mac = textIn(resource, 'MACAddress') ?? textIn(resource, 'PermanentMACAddress');
  const port = present({
    linkStatus: textIn(resource, 'LinkStatus'),
    mac: mac?.toLowerCase(),
    mtu: countIn(resource, 'MTUSize'),
    portID: textIn(resource, 'Id'),
    speedMbps: countIn(resource, 'SpeedMbps'),
  });
  return { ports: [port] };
}
