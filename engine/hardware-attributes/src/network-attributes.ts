import { create } from '@bufbuild/protobuf';
import { NetworkSchema, type Network } from '@tinkerbell/api/agent';

import { linkName, listNames, readLine } from './sys-file.ts';

/** Reads the network interfaces with a device from /sys/class/net. */
export function readNetworkInterfaces(sysDirectory: string): readonly Network[] {
  return physicalNames(sysDirectory).map((name) => {
    const speed = Number(readLine(sysDirectory, 'class/net', name, 'speed'));
    return create(NetworkSchema, {
      name,
      mac: readLine(sysDirectory, 'class/net', name, 'address').toLowerCase(),
      // -1 or unreadable while the link is down.
      speed: speed > 0 ? `${speed}Mb/s` : '',
    });
  });
}

/** Returns the MAC of the first physical network interface; undefined if the machine has none. */
export function firstMac(sysDirectory: string): string | undefined {
  const [name] = physicalNames(sysDirectory);
  return name === undefined ? undefined : readLine(sysDirectory, 'class/net', name, 'address').toLowerCase();
}

function physicalNames(sysDirectory: string): readonly string[] {
  return listNames(sysDirectory, 'class/net').filter(
    (name) => linkName(sysDirectory, 'class/net', name, 'device') !== '',
  );
}
