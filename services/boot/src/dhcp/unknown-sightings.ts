import { messageType, type DhcpPacket } from '@tinkerbell/dhcp';
import type { NetbootClient, ReplyDecision, ReservationResult } from '@tinkerbell/netboot';
import type { BootDeps } from '../config.ts';
import { whoIs } from './timeline.ts';

interface Asked {
  readonly request: DhcpPacket;
  readonly client: NetbootClient;
  readonly reservation: ReservationResult;
}

/** Reports a machine that requests a boot and has no Hardware, with the result of its packet. */
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
  return ({ request, client, reservation }, decision) => {
    if (unknownMachines === undefined || reservation.ok || reservation.reason !== 'no-hardware') return;
    const { mac, architecture } = client;
    if (mac === undefined || !client.isNetbootClient) return;
    const isNew = unknownMachines.see(
      {
        mac,
        client: whoIs(client),
        architecture,
        vendorClass: request.options.vendorClassIdentifier ?? '',
        asked: request.options.messageType === messageType.request ? 'request' : 'discover',
        ...(decision.kind === 'ignore' ? { reason: decision.reason, message: decision.message } : {}),
      },
      clock.nowMs(),
    );
    if (!isNew) return;
    const outcome = decision.kind === 'ignore' ? `is not answered: ${decision.message}` : 'is answered';
    const message = `${mac} (${whoIs(client)}) asks to boot, is not registered and ${outcome}; register it with: tink hardware accept ${mac}`;
    journal.append({
      source: 'dhcp',
      event: 'machine-unknown',
      machine: mac,
      message,
      details: { architecture },
    });
  };
}
