import { linkName, listNames, readLine } from '@tinkerbell/engine-hardware-attributes/sys-file';

import { LIST_MAX, number, pciAddress } from './disk-facts.ts';

export interface NetworkFacts {
  readonly name: string;
  readonly mac: string;
  readonly driver: string;
  /** Of the driver, when it reports one. */
  readonly firmware: string;
  readonly pciAddress: string;
  /** `up`, `down` and others of RFC 2863. */
  readonly state: string;
  readonly hasCarrier: boolean;
  /** 0 while the link is down. */
  readonly speedMegabits: number;
  readonly duplex: string;
  readonly mtu: number;
}

/** Interfaces with a device. `firmwareOf` returns the version of an interface's firmware, or an empty text. */
export function readNetwork(root: string, firmwareOf: ReadonlyMap<string, string>): readonly NetworkFacts[] {
  return deviceNames(root).map((name) => {
    const at = (file: string): string => readLine(root, 'sys/class/net', name, file);
    return {
      name,
      mac: at('address').toLowerCase(),
      driver: linkName(root, 'sys/class/net', name, 'device/driver'),
      firmware: firmwareOf.get(name) ?? '',
      pciAddress: pciAddress(root, 'sys/class/net', name, 'device'),
      state: at('operstate'),
      hasCarrier: at('carrier') === '1',
      speedMegabits: Math.max(number(at('speed')), 0),
      duplex: at('duplex'),
      mtu: number(at('mtu')),
    };
  });
}

export function deviceNames(root: string): readonly string[] {
  const names = listNames(root, 'sys/class/net');
  return names.filter((name) => linkName(root, 'sys/class/net', name, 'device') !== '').slice(0, LIST_MAX);
}

/** Reads the output of `ethtool -i`. */
export function firmwareIn(output: string): string {
  return /^firmware-version: *(.*)$/m.exec(output)?.[1]?.trim() ?? '';
}
