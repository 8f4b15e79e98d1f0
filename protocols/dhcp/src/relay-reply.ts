import { decodeUtf8, IPV4_ANY } from '@tinkerbell/wire';
import { editForRelay } from './relay-edit.ts';
import { replyDestination, type ReplyDestination } from './reply-destination.ts';
import {
  drop,
  type RelayDrop,
  type RelayInterface,
  type RelayMessage,
  type RelaySettings,
} from './relay-rules.ts';
import type { DhcpPacket } from './packet.ts';

export interface RelayReplyInput {
  /** With op `reply`. */
  readonly message: RelayMessage;
  readonly interfaces: readonly RelayInterface[];
  readonly settings: RelaySettings;
}

export type RelayReplyDecision =
  | RelayDrop
  | {
      readonly kind: 'deliver';
      readonly networkInterface: string;
      readonly destination: ReplyDestination;
      readonly bytes: Uint8Array;
    };

/**
 * Returns the client network of a server's answer and the destination there: RFC 2131 section 4.1, RFC 1542 section 4.1.2. An
 * option 82 that this relay added is removed. Another one stays for the relay that added it.
 */
export function relayReply({ message, interfaces, settings }: RelayReplyInput): RelayReplyDecision {
  const { packet, bytes } = message;
  const found = interfaceFor(packet, interfaces, settings);
  if ('kind' in found) return found;
  const isOurs = settings.information !== undefined && circuitOf(packet) === found.name;
  return {
    kind: 'deliver',
    networkInterface: found.name,
    destination: replyDestination({ ...packet, giaddr: IPV4_ANY }, packet),
    bytes: editForRelay(bytes, isOurs ? { information: 'none' } : {}).bytes,
  };
}

function interfaceFor(
  packet: DhcpPacket,
  interfaces: readonly RelayInterface[],
  { relayAddress }: RelaySettings,
): RelayInterface | RelayDrop {
  const { giaddr } = packet;
  if (relayAddress !== undefined && giaddr === relayAddress) {
    const circuit = circuitOf(packet);
    const byCircuit = interfaces.find(({ name }) => name === circuit);
    return (
      byCircuit ?? drop('circuit-unknown', `the answer has the circuit id ${JSON.stringify(circuit ?? null)}`)
    );
  }
  return (
    interfaces.find(({ address }) => address === giaddr) ??
    drop('not-for-a-client-network', `giaddr is ${giaddr}`)
  );
}

function circuitOf({ options }: DhcpPacket): string | undefined {
  const circuitId = options.relayAgentInformation?.circuitId;
  return circuitId === undefined ? undefined : decodeUtf8(circuitId);
}
