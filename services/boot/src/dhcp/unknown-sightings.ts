import { messageType, type DhcpPacket } from '@tinkerbell/dhcp';
import {
  bmcVendorOf,
  type NetbootClient,
  type ReplyDecision,
  type ReservationResult,
} from '@tinkerbell/netboot';
import type { Sighting } from '@tinkerbell/enrollment';
import { isHostAddress } from '@tinkerbell/wire';
import type { BootDeps } from '../config.ts';
import { whoIs } from './timeline.ts';

interface Asked {
  readonly request: DhcpPacket;
  readonly client: NetbootClient;
  readonly reservation: ReservationResult;
}

/** Reports a machine that requests a boot and has no Hardware, or a BMC that requests its address, with the result of its packet. */
export type ReportUnknown = (asked: Asked, decision: ReplyDecision) => void;

/**
 * Operating systems are not machines to register, so their requests are not recorded. A machine that has asked again also becomes
 * a timeline event, once, with the command that registers it.
 */
export function createUnknownSightings({
  unknownMachines,
  clock,
  journal,
}: Pick<BootDeps, 'unknownMachines' | 'clock' | 'journal'>): ReportUnknown {
  return (asked, decision) => {
    const { reservation } = asked;
    if (unknownMachines === undefined || reservation.ok || reservation.reason !== 'no-hardware') return;
    const sighting = sightingOf(asked, decision);
    if (sighting === undefined || !unknownMachines.see(sighting, clock.nowMs())) return;
    const { mac, architecture, client } = sighting;
    const message = messageOf(sighting, decision);
    const details = { architecture, client };
    journal.append({ source: 'dhcp', event: 'machine-unknown', machine: mac, message, details });
  };
}

function sightingOf({ request, client }: Asked, decision: ReplyDecision): Sighting | undefined {
  const { mac, architecture, isNetbootClient } = client;
  const { vendorClassIdentifier: vendorClass = '', messageType: type } = request.options;
  const bmc = bmcVendorOf(vendorClass);
  if (mac === undefined || (!isNetbootClient && bmc === undefined)) return undefined;
  return {
    mac,
    client: bmc === undefined ? whoIs(client) : `BMC (${bmc})`,
    architecture,
    vendorClass,
    asked: type === messageType.request ? 'request' : 'discover',
    ...(decision.kind === 'ignore' ? { reason: decision.reason, message: decision.message } : {}),
    ...(bmc === undefined ? {} : { bmc, ...addressOf(request) }),
  };
}

function messageOf({ mac, client, bmc }: Sighting, decision: ReplyDecision): string {
  const outcome = decision.kind === 'ignore' ? `is not answered: ${decision.message}` : 'is answered';
  if (bmc !== undefined)
    return `${mac} (${client}) asks for its address and ${outcome}; find it with: tink bmc discover`;
  return `${mac} (${client}) asks to boot, is not registered and ${outcome}; register it with: tink hardware accept ${mac}`;
}

/** A REQUEST names the address that the client has accepted from some server, and a renewal the one that it has. */
function addressOf({ ciaddr, options }: DhcpPacket): { readonly address?: string } {
  const { messageType: type, requestedAddress } = options;
  const address = type === messageType.request ? (requestedAddress ?? ciaddr) : undefined;
  return address !== undefined && isHostAddress(address) ? { address } : {};
}
