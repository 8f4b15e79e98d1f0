import { messageType, type DhcpPacket } from '@tinkerbell/dhcp';
import {
  NOT_ALLOWED_FILE,
  whyNoBinary,
  type IgnoreReason,
  type NetbootClient,
  type NetbootSettings,
  type ReplyDecision,
  type ReservationResult,
} from '@tinkerbell/netboot';
import type { AddressHolder, Datagram, UdpAddress } from '@tinkerbell/platform-contract';
import type { View } from '@tinkerbell/store-contract';
import { IPV4_ANY, macFromBytes, type DecodeFailure, type Ipv4, type Mac } from '@tinkerbell/wire';
import { holdersOf } from './address-holders.ts';
import type { BootDeps } from '../config.ts';
import type { BootMetrics } from '../metrics.ts';
import { RateGate } from '../rate-gate.ts';
import { HARDWARE_ADDRESS_OFFSET } from './client-limit.ts';
import { DECLINED_GATE, IGNORED_GATE, REPLIED_GATE } from './timeline-gates.ts';

/** The listener's reports: metrics, debug log, and the timeline of the machine. */
export interface DhcpTimeline {
  /** The client sends unreasonably often. The datagram was not processed. */
  tooMany(datagram: Datagram): void;
  undecodable(datagram: Datagram, error: DecodeFailure): void;
  /** The client found that another host uses its assigned address. */
  declined(step: { readonly request: DhcpPacket; readonly client: NetbootClient; readonly view: View }): void;
  ignored(step: {
    readonly request: DhcpPacket;
    readonly client: NetbootClient;
    readonly reservation: ReservationResult;
    readonly decision: Extract<ReplyDecision, { kind: 'ignore' }>;
  }): void;
  /** A probe found that a pool address, which the machine would have got, is in use. */
  conflict(step: { readonly mac: Mac; readonly address: Ipv4; readonly holder: AddressHolder }): void;
  /** A request on the boot server port from a sender that is not a host address. */
  unreachable(step: {
    readonly request: DhcpPacket;
    readonly client: NetbootClient;
    readonly peer: UdpAddress;
  }): void;
  unencodable(step: {
    readonly client: NetbootClient;
    readonly error: { readonly code: string; readonly message: string };
  }): void;
  replied(step: {
    readonly request: DhcpPacket;
    readonly reply: DhcpPacket;
    readonly client: NetbootClient;
    /** Called when the record needs it. */
    readonly reservation: () => ReservationResult;
    readonly settings: Pick<NetbootSettings, 'architectureOverrides'>;
    readonly droppedOptions: readonly number[];
  }): void;
}

type TimelineDeps = Pick<BootDeps, 'log' | 'journal' | 'clock'>;

export function createDhcpTimeline(deps: TimelineDeps, metrics: BootMetrics): DhcpTimeline {
  const { log } = deps;
  const writeIgnored = ignoredWriter(deps, metrics);
  const writeReplied = repliedWriter(deps);
  return {
    tooMany({ bytes, peer }) {
      const mac = macFromBytes(bytes.subarray(HARDWARE_ADDRESS_OFFSET));
      const message = `packet from ${peer.address} ignored: the client sends too many requests`;
      writeIgnored({ mac, reason: 'too-many-requests', message });
    },

    undecodable(datagram, error) {
      metrics.dhcpIgnored.add({ reason: `undecodable-${error.code}` });
      log.debug('DHCP packet ignored', {
        peer: datagram.peer.address,
        reason: error.code,
        detail: error.message,
      });
    },

    ignored({ request, client, reservation, decision }) {
      const { reason, message } = decision;
      const isKnown = reservation.ok || reservation.reason !== 'no-hardware';
      // In a foreign network any laptop sends requests. It is not a registered machine, and has no timeline.
      const isBystander = !isKnown && reason === 'not-a-netboot-client';
      const mac = isBystander ? undefined : client.mac;
      const type = nameOf(request);
      if (reason === 'client-released')
        return writeIgnored({ mac, reason, event: 'address-released', message });
      writeIgnored({ mac, reason, message: `${type} ignored: ${message}`, type, ...relayOf(request) });
    },

    declined({ request, client, view }) {
      const message = declineMessage(request, client, view);
      log.warn('DHCP address declined', { mac: client.mac, detail: message });
      writeIgnored({ mac: client.mac, reason: 'client-declined', event: 'address-declined', message });
    },

    conflict: conflictWriter(deps, metrics),

    unreachable({ request, client, peer }) {
      const type = nameOf(request);
      const message = `${type} ignored: the sender ${peer.address} is not a host address`;
      writeIgnored({ mac: client.mac, reason: 'client-address-invalid', message, type });
    },

    unencodable: unencodableWriter(deps, metrics),

    replied(step) {
      metrics.dhcpSent.add({ type: nameOf(step.reply) });
      writeReplied(step);
    },
  };
}

function unencodableWriter({ log }: TimelineDeps, metrics: BootMetrics): DhcpTimeline['unencodable'] {
  return ({ client, error }) => {
    metrics.dhcpIgnored.add({ reason: 'reply-not-encodable' });
    log.error('DHCP reply could not be encoded', {
      mac: client.mac,
      code: error.code,
      detail: error.message,
    });
  };
}

function conflictWriter({ log, journal }: TimelineDeps, metrics: BootMetrics): DhcpTimeline['conflict'] {
  return ({ mac, address, holder }) => {
    const who = holder.mac === undefined ? 'a machine' : `the machine ${holder.mac}`;
    const message = `${address} was to be offered, but ${who} uses it; it is not used for an hour`;
    metrics.dhcpAddressConflicts.add();
    log.warn('DHCP address in use', { mac, address, holder: holder.mac });
    const details = { address, holder: holder.mac ?? null };
    journal.append({ source: 'dhcp', event: 'address-in-use', machine: mac, message, details });
  };
}

function declineMessage(request: DhcpPacket, { mac }: NetbootClient, view: View): string {
  const address = request.options.requestedAddress;
  const holders = address === undefined || mac === undefined ? '' : `; ${holdersOf(view, address, mac)}`;
  return `the machine finds ${address ?? 'its address'} in use by another${holders}`;
}

interface Ignored {
  /** Absent: the event is counted, but is in no timeline. */
  readonly mac: Mac | undefined;
  readonly reason: IgnoreReason;
  readonly event?: 'request-ignored' | 'address-declined' | 'address-released';
  readonly message: string;
  readonly type?: string;
  readonly relay?: Ipv4;
}

function ignoredWriter({ log, journal, clock }: TimelineDeps, metrics: BootMetrics) {
  const ignoredGate = new RateGate(clock, IGNORED_GATE);
  const declinedGate = new RateGate(clock, DECLINED_GATE);
  return ({ mac, reason, event = 'request-ignored', message, type, relay }: Ignored) => {
    metrics.dhcpIgnored.add({ reason });
    log.debug('DHCP packet ignored', { mac, reason, detail: message });
    const gate = reason === 'client-declined' ? declinedGate : ignoredGate;
    if (mac === undefined || !gate.passes(`${mac} ${reason}`)) return;
    const details = {
      reason,
      ...(type === undefined ? {} : { type }),
      ...(relay === undefined ? {} : { relay }),
    };
    journal.append({ source: 'dhcp', event, machine: mac, message, details });
  };
}

function repliedWriter({ log, journal, clock }: TimelineDeps): DhcpTimeline['replied'] {
  const gate = new RateGate(clock, REPLIED_GATE);
  return ({ request, reply, client, reservation, settings, droppedOptions }) => {
    const type = nameOf(reply);
    if (droppedOptions.length > 0) {
      log.warn('DHCP options dropped: the reply is longer than the client accepts', {
        mac: client.mac,
        droppedOptions,
      });
    }
    const file = reply.bootFile === '' ? (reply.options.bootFileName ?? '') : reply.bootFile;
    log.debug('DHCP reply sent', { mac: client.mac, type, address: reply.yiaddr, file });
    if (!gate.passes(`${client.mac} ${type} ${file}`)) return;
    const offered = file === '' ? '' : `, boot file ${file}`;
    const boots = file.endsWith(NOT_ALLOWED_FILE)
      ? `, no netboot: ${whyNot(client, reservation(), settings)}`
      : offered;
    const what = reply.yiaddr === IPV4_ANY ? `${type} without address` : `${type} of ${reply.yiaddr}`;
    journal.append({
      source: 'dhcp',
      event: `${type}-sent`,
      ...(client.mac === undefined ? {} : { machine: client.mac }),
      message: `${nameOf(request)} from ${whoIs(client)}: ${what}${boots}`,
      details: {
        address: reply.yiaddr,
        file,
        architecture: client.architecture,
        client: whoIs(client),
        ...relayOf(request),
      },
    });
  };
}

/** The doctor finds by it which networks have a relay. */
function relayOf({ giaddr }: DhcpPacket): { readonly relay?: Ipv4 } {
  return giaddr === IPV4_ANY ? {} : { relay: giaddr };
}

/** Helps an operator see why the machine continues with its disk. */
function whyNot(
  client: NetbootClient,
  reservation: ReservationResult,
  settings: Pick<NetbootSettings, 'architectureOverrides'>,
): string {
  if (reservation.ok && !reservation.value.mayNetboot)
    return `${reservation.value.path}.netboot.allowPXE is not true`;
  return whyNoBinary(client, reservation.ok ? reservation.value : { ipxe: {} }, settings);
}

/** Names the client: the firmware, an iPXE, or an operating system. */
export function whoIs(client: NetbootClient): string {
  if (client.isIpxe) return `iPXE ${client.ipxe.version ?? 'of unknown version'}`;
  if (client.protocol === undefined) return 'an operating system';
  return client.protocol === 'http' ? 'UEFI HTTP boot' : 'PXE firmware';
}

const nameByType = new Map<number | undefined, string>(
  Object.entries(messageType).map(([name, value]) => [value, name === 'refuse' ? 'refusal' : name]),
);

function nameOf({ options }: DhcpPacket): string {
  return nameOfType(options.messageType);
}

export function nameOfType(type: number | undefined): string {
  return nameByType.get(type) ?? `message of type ${type ?? 'none'}`;
}
