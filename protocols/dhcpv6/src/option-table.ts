import { ByteReader } from '@tinkerbell/wire';
import { identityAssociationOption, statusOption } from './identity-association.ts';
import {
  addressListOption,
  bytesOption,
  dataListOption,
  domainListOption,
  flagOption,
  joined,
  textListOption,
  textOption,
  uint16Bytes,
  uint16ListOption,
  uint16Option,
  uint32Bytes,
  uint32Option,
  uint8Option,
  type OptionCodec,
} from './option-codec.ts';
import type { RawOption } from './raw-options.ts';

/** Option 16, RFC 8415 section 21.16. */
export interface VendorClass {
  readonly enterprise: number;
  readonly data: readonly Uint8Array[];
}

const vendorClassOption: OptionCodec<VendorClass> = {
  decode: (bytes) => {
    const data = dataListOption.decode(bytes.subarray(4));
    return data === undefined ? undefined : { enterprise: new ByteReader(bytes).uint32('enterprise'), data };
  },
  encode: ({ enterprise, data }) => joined([uint32Bytes(enterprise), dataListOption.encode(data)]),
};

/** RFC 5970 section 3.4. */
const networkInterfaceOption: OptionCodec<{ type: number; major: number; minor: number }> = {
  decode: ([type, major, minor, ...rest]) =>
    type === undefined || major === undefined || minor === undefined || rest.length > 0
      ? undefined
      : { type, major, minor },
  encode: ({ type, major, minor }) => Uint8Array.of(type, major, minor),
};

/** RFC 6939 section 4. */
const linkLayerAddressOption: OptionCodec<{ hardwareType: number; address: Uint8Array }> = {
  decode: (bytes) =>
    bytes.length > 2
      ? { hardwareType: new ByteReader(bytes).uint16('type'), address: bytes.subarray(2) }
      : undefined,
  encode: ({ hardwareType, address }) => joined([uint16Bytes(hardwareType), address]),
};

/** Every option with a typed value, by its name in `Dhcpv6Options`. The source is RFC 8415 unless stated otherwise. */
export const optionTable = {
  clientIdentifier: { code: 1, codec: bytesOption(2) },
  serverIdentifier: { code: 2, codec: bytesOption(2) },
  optionRequest: { code: 6, codec: uint16ListOption },
  preference: { code: 7, codec: uint8Option },
  elapsedHundredths: { code: 8, codec: uint16Option },
  relayMessage: { code: 9, codec: bytesOption(1) },
  status: { code: 13, codec: statusOption },
  rapidCommit: { code: 14, codec: flagOption },
  userClass: { code: 15, codec: dataListOption },
  vendorClass: { code: 16, codec: vendorClassOption },
  interfaceIdentifier: { code: 18, codec: bytesOption(0) },
  /** RFC 3646, as is 24. */
  nameServers: { code: 23, codec: addressListOption },
  domainSearch: { code: 24, codec: domainListOption },
  informationRefreshTimeSeconds: { code: 32, codec: uint32Option },
  /** RFC 4704: flags and a name. It is opaque here. */
  clientName: { code: 39, codec: bytesOption(1) },
  /** RFC 5970, as are 60 to 62. */
  bootFileUrl: { code: 59, codec: textOption },
  bootFileParameters: { code: 60, codec: textListOption },
  clientArchitectures: { code: 61, codec: uint16ListOption },
  clientNetworkInterface: { code: 62, codec: networkInterfaceOption },
  /** RFC 6939. */
  clientLinkLayerAddress: { code: 79, codec: linkLayerAddressOption },
  solicitTimeoutMaxSeconds: { code: 82, codec: uint32Option },
} as const;

type OptionName = keyof typeof optionTable;
type ValueOf<Codec> = Codec extends OptionCodec<infer Value> ? Value : never;
type IdentityAssociation = ValueOf<typeof identityAssociationOption>;

/**
 * A message's options. `identityAssociations` are the IA_NAs, of which there may be several. Of any other option the first one
 * counts. `other` contains, byte for byte and in order, options that have no typed value, are malformed, or are repeated.
 */
export type Dhcpv6Options = {
  readonly [Name in OptionName]?: ValueOf<(typeof optionTable)[Name]['codec']>;
} & {
  readonly identityAssociations?: readonly IdentityAssociation[];
  readonly other?: readonly RawOption[];
};

const IA_NA = 3;

interface OptionEntry {
  readonly name: OptionName;
  readonly code: number;
  readonly codec: OptionCodec<unknown>;
}

const entries: readonly OptionEntry[] = Object.keys(optionTable)
  .filter(isOptionName)
  .map((name) => ({ name, ...optionTable[name] }));
const byCode: ReadonlyMap<number, OptionEntry> = new Map(entries.map((entry) => [entry.code, entry]));

function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(optionTable, name);
}

export function typedOptions(raw: readonly RawOption[]): Dhcpv6Options {
  const known: Record<string, unknown> = {};
  const associations: IdentityAssociation[] = [];
  const other: RawOption[] = [];
  for (const option of raw) {
    const association = option.code === IA_NA ? identityAssociationOption.decode(option.bytes) : undefined;
    if (association !== undefined) {
      associations.push(association);
      continue;
    }
    const entry = byCode.get(option.code);
    const value = entry === undefined || entry.name in known ? undefined : entry.codec.decode(option.bytes);
    if (entry === undefined || value === undefined) other.push(option);
    else known[entry.name] = value;
  }
  return {
    ...known,
    ...(associations.length === 0 ? {} : { identityAssociations: associations }),
    ...(other.length === 0 ? {} : { other }),
  };
}

/** Sorted by code, with the untyped ones last. */
export function rawOptions(options: Dhcpv6Options): readonly RawOption[] {
  const associations = (options.identityAssociations ?? []).map((each) => ({
    code: IA_NA,
    bytes: identityAssociationOption.encode(each),
  }));
  const typed = entries.flatMap(({ name, code, codec }) => {
    const value = options[name];
    return value === undefined ? [] : [{ code, bytes: codec.encode(value) }];
  });
  return [
    ...[...associations, ...typed].sort((left, right) => left.code - right.code),
    ...(options.other ?? []),
  ];
}
