/** What the server's main thread and its DHCP thread send each other. All of it can be cloned. */
import type { Arrival, NetbootSettings, Reservation } from '@tinkerbell/netboot';
import type { FailedPort, PlatformErrorCode, UdpAddress } from '@tinkerbell/platform-contract';
import type { Mac } from '@tinkerbell/wire';
import type { DhcpConfig } from '../dhcp-config.ts';

/** To the DHCP thread. */
export type DhcpOrder =
  | { readonly kind: 'start'; readonly dhcp: DhcpConfig; readonly netboot: ClonedSettings }
  /** The machines have these reservations, until `forget`. */
  | { readonly kind: 'know'; readonly reservations: readonly Reservation[] }
  | { readonly kind: 'forget'; readonly macs: readonly Mac[] }
  | { readonly kind: 'binary'; readonly binary: BinaryName; readonly isMissing: boolean }
  /** With `mac`, by a frame to it. */
  | {
      readonly kind: 'send';
      readonly socket: number;
      readonly bytes: Uint8Array;
      readonly to: UdpAddress;
      readonly mac?: string;
    }
  /** The main thread has processed this number of `packets`. */
  | { readonly kind: 'processed'; readonly count: number }
  | { readonly kind: 'stop' };

/** From the DHCP thread. */
export type DhcpReport =
  | { readonly kind: 'started' }
  | { readonly kind: 'failed'; readonly failure: ClonedFailure }
  | { readonly kind: 'socket-error'; readonly message: string }
  | { readonly kind: 'packets'; readonly packets: readonly (PassedPacket | AnsweredPacket)[] }
  | ({ readonly kind: 'counted' } & PacketCounts)
  /** The thread has used the answer about this binary, which may be old. */
  | { readonly kind: 'binary-used'; readonly binary: BinaryName }
  | { readonly kind: 'stopped' };

export type ClonedSettings = Omit<NetbootSettings, 'lacksBinary'>;

export interface BinaryName {
  readonly name: string;
  readonly protocol: 'http' | 'tftp';
}

export interface ClonedFailure {
  readonly code: PlatformErrorCode;
  readonly message: string;
  readonly port?: FailedPort;
}

/** A packet that the main thread decides. */
export interface PassedPacket {
  readonly bytes: Uint8Array;
  readonly peer: UdpAddress;
  readonly networkInterface: string | undefined;
  readonly arrival: Arrival;
  readonly socket: number;
  /** It is not processed, only counted. */
  readonly isTooMany: boolean;
}

/** A packet that the DHCP thread has answered, for the timeline of its machine. */
export interface AnsweredPacket {
  readonly bytes: Uint8Array;
  readonly reply: Uint8Array;
  readonly droppedOptions: readonly number[];
}

/** Message types are values of option 53. */
export interface AnsweredCount {
  readonly requestType: number | undefined;
  readonly replyType: number | undefined;
  readonly count: number;
}

/** Packets that are in no timeline. */
export interface PacketCounts {
  readonly answered: readonly AnsweredCount[];
  readonly tooMany: number;
  /** Dropped because the main thread was busy. */
  readonly busy: number;
}
