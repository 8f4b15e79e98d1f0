/** Objects of the benchmark `bmc`. */
import { bmcAddress } from './bmc-address.ts';
import type { LoopbackServer } from './tinkerbell-server.ts';

export async function create(server: LoopbackServer, path: string, object: object): Promise<void> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(object),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`);
}

export function secretOf(password: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'bmc' },
    stringData: { username: 'admin', password },
  };
}

export function machineOf(number: number, port: number): object {
  return {
    apiVersion: 'bmc.tinkerbell.org/v1alpha1',
    kind: 'Machine',
    metadata: { name: `bmc-${number}` },
    spec: {
      connection: {
        host: bmcAddress(number),
        insecureTLS: true,
        authSecretRef: { name: 'bmc', namespace: 'default' },
        providerOptions: { preferredOrder: ['ipmitool'], ipmitool: { port } },
      },
    },
  };
}

export function hardwareOf(number: number): object {
  const octet = (value: number): string => value.toString(16).padStart(2, '0');
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name: `m${number}` },
    spec: {
      bmcRef: { apiGroup: 'bmc.tinkerbell.org', kind: 'Machine', name: `bmc-${number}` },
      interfaces: [{ dhcp: { mac: `52:54:00:70:${octet(number >> 8)}:${octet(number & 255)}` } }],
    },
  };
}
