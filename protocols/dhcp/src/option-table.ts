import { classlessRoutesOption } from './classless-routes.ts';
import { domainSearchOption } from './domain-search.ts';
import {
  bytesOption,
  ipv4ListOption,
  ipv4Option,
  textOption,
  uint16ListOption,
  uint16Option,
  uint32Option,
  uint8ListOption,
  uint8Option,
  type OptionCodec,
} from './option-codec.ts';
import { clientMachineIdentifierOption, clientNetworkInterfaceOption } from './pxe-identity.ts';
import { relayAgentOption } from './relay-agent.ts';
import { encapsulatedOption, type SubOption } from './sub-options.ts';
import { userClassOption } from './user-class.ts';

/** Every option with a typed value, by its name in `DhcpOptions`. The source is RFC 2132 unless stated otherwise. */
export const optionTable = {
  subnetMask: { code: 1, codec: ipv4Option },
  timeOffsetSeconds: { code: 2, codec: uint32Option },
  routers: { code: 3, codec: ipv4ListOption },
  domainNameServers: { code: 6, codec: ipv4ListOption },
  logServers: { code: 7, codec: ipv4ListOption },
  hostName: { code: 12, codec: textOption },
  domainName: { code: 15, codec: textOption },
  rootPath: { code: 17, codec: textOption },
  broadcastAddress: { code: 28, codec: ipv4Option },
  ntpServers: { code: 42, codec: ipv4ListOption },
  vendorSpecific: { code: 43, codec: encapsulatedOption },
  requestedAddress: { code: 50, codec: ipv4Option },
  leaseTimeSeconds: { code: 51, codec: uint32Option },
  messageType: { code: 53, codec: uint8Option },
  serverIdentifier: { code: 54, codec: ipv4Option },
  parameterRequestList: { code: 55, codec: uint8ListOption },
  message: { code: 56, codec: textOption },
  /** The largest message that the client accepts, IP and UDP headers included. It is never below 576. */
  maximumMessageBytes: { code: 57, codec: uint16Option },
  renewalTimeSeconds: { code: 58, codec: uint32Option },
  rebindingTimeSeconds: { code: 59, codec: uint32Option },
  vendorClassIdentifier: { code: 60, codec: textOption },
  /** Opaque (RFC 4361). It is echoed as received (RFC 6842) and never used as a key. */
  clientIdentifier: { code: 61, codec: bytesOption(2) },
  tftpServerName: { code: 66, codec: textOption },
  bootFileName: { code: 67, codec: textOption },
  /** RFC 3004. */
  userClass: { code: 77, codec: userClassOption },
  /** RFC 3046. */
  relayAgentInformation: { code: 82, codec: relayAgentOption },
  /** RFC 4578, as are 94 and 97. */
  clientArchitectures: { code: 93, codec: uint16ListOption },
  clientNetworkInterface: { code: 94, codec: clientNetworkInterfaceOption },
  clientMachineIdentifier: { code: 97, codec: clientMachineIdentifierOption },
  /** RFC 3011. */
  subnetSelection: { code: 118, codec: ipv4Option },
  /** RFC 3397. */
  domainSearch: { code: 119, codec: domainSearchOption },
  /** RFC 3442. */
  classlessRoutes: { code: 121, codec: classlessRoutesOption },
  /** RFC 5859. */
  tftpServerAddresses: { code: 150, codec: ipv4ListOption },
  /** iPXE's encapsulated options (Etherboot Ltd). */
  ipxe: { code: 175, codec: encapsulatedOption },
} as const;

export type OptionName = keyof typeof optionTable;

type ValueOf<Codec> = Codec extends OptionCodec<infer Value> ? Value : never;

/**
 * A packet's options. `other` contains, byte for byte and in order, the options without a typed value and those whose value was
 * malformed.
 */
export type DhcpOptions = {
  readonly [Name in OptionName]?: ValueOf<(typeof optionTable)[Name]['codec']>;
} & { readonly other?: readonly SubOption[] };

/** Options 0, 52 and 255 control the packet's format and are never values. */
export const PAD = 0;
export const OVERLOAD = 52;
export const END = 255;

export interface OptionEntry {
  readonly name: OptionName;
  readonly code: number;
  readonly codec: OptionCodec<unknown>;
}

const entries: readonly OptionEntry[] = Object.keys(optionTable)
  .filter(isOptionName)
  .map((name) => ({ name, ...optionTable[name] }));

function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(optionTable, name);
}

export const optionByCode: ReadonlyMap<number, OptionEntry> = new Map(
  entries.map((entry) => [entry.code, entry]),
);
export const optionByName: ReadonlyMap<string, OptionEntry> = new Map(
  entries.map((entry) => [entry.name, entry]),
);

/** The codes of options whose value violates their definition. */
export function malformedOptionsOf(options: DhcpOptions): readonly number[] {
  return (options.other ?? []).map(({ code }) => code).filter((code) => optionByCode.has(code));
}
