/** Creates a Hardware for a machine that asked to boot, from its requests. */
import { hardwareKind, type Hardware, apiVersionOf } from '@tinkerbell/resources';
import { netmaskOf, parseIpv4 } from '@tinkerbell/wire';
import { TinkFailure, usageFailure } from '../failure.ts';
import { hardwareWithMac, macIn } from '../workflow/hardware-map.ts';
import type { Session } from '../client/session.ts';
import {
  acceptLine,
  architectureOf,
  DISCOVER_LINE,
  unknownMachine,
  type ListedMachine,
} from './unknown-machines.ts';

export interface AcceptWish {
  readonly mac: string;
  readonly name: string | undefined;
  /** `192.0.2.7/24`; false if another server or a pool assigns addresses; undefined if not given. */
  readonly address: string | false | undefined;
  readonly gateway: string | undefined;
  readonly dryRun: boolean;
}

/** Resolves with the stored Hardware. Throws a TinkFailure if the MAC already has one, or if no address is given. */
export async function acceptHardware(session: Session, wish: AcceptWish): Promise<Hardware> {
  const mac = macIn(wish.mac);
  if (mac === undefined)
    throw usageFailure(`${JSON.stringify(wish.mac)} is not a MAC`, 'for example 08:00:27:9e:f5:3a');
  const { client, namespace } = session;
  const { items } = await client.list(hardwareKind, {});
  const present = hardwareWithMac(mac, items);
  if (present !== undefined)
    throw new TinkFailure(`hardware/${present.metadata.name} already has the MAC ${mac}`, {
      advice: `tink describe hardware ${present.metadata.name} -n ${present.metadata.namespace}`,
    });
  const machine = await unknownMachine(session, mac);
  if (machine?.bmc !== undefined)
    throw new TinkFailure(`${mac} is a BMC (${machine.bmc}), not a machine to install`, {
      advice: `register it with: ${DISCOVER_LINE}`,
    });
  const isAnswered = machine !== undefined && machine.message === undefined;
  if (wish.address === undefined && !isAnswered)
    throw usageFailure(
      `hardware accept needs the address of ${mac}`,
      `${acceptLine(mac)}, or --no-address if a pool or another DHCP server assigns one`,
    );
  const name = wish.name ?? `machine-${mac.replaceAll(':', '-')}`;
  const hardware = hardwareFor({ mac, name, namespace }, machine, wish);
  return client.create(hardwareKind, hardware, { dryRun: wish.dryRun });
}

function hardwareFor(
  { mac, name, namespace }: { readonly mac: string; readonly name: string; readonly namespace: string },
  machine: ListedMachine | undefined,
  { address, gateway }: AcceptWish,
): Hardware {
  const known = machine === undefined ? undefined : architectureOf(machine.architecture);
  const dhcp = {
    mac,
    hostname: name,
    ...(known === undefined ? {} : { arch: known.arch, uefi: known.uefi }),
    ...(address === undefined || address === false ? {} : { ip: addressOf(address, gateway) }),
  };
  return {
    apiVersion: apiVersionOf(hardwareKind),
    kind: hardwareKind.kind,
    metadata: { name, namespace },
    spec: { interfaces: [{ dhcp, netboot: { allowPXE: true, allowWorkflow: true } }] },
  };
}

function addressOf(text: string, gateway: string | undefined) {
  const [, host = '', length = ''] = /^([\d.]+)\/(\d{1,2})$/.exec(text) ?? [];
  const address = parseIpv4(host);
  const prefixLength = Number(length);
  if (address === undefined || prefixLength < 1 || prefixLength > 32)
    throw usageFailure(
      `--address must be ADDRESS/PREFIX such as 192.168.56.43/24, not ${JSON.stringify(text)}`,
    );
  const netmask = netmaskOf(prefixLength);
  if (gateway !== undefined && parseIpv4(gateway) === undefined)
    throw usageFailure(`--gateway must be an IPv4 address, not ${JSON.stringify(gateway)}`);
  return { address, netmask, ...(gateway === undefined ? {} : { gateway }) };
}
