import {
  ByteReader,
  DecodeError,
  decodeUtf8,
  encodeUtf8,
  ipv6FromBytes,
  ipv6ToBytes,
  type Ipv6,
} from '@tinkerbell/wire';
import { joined, uint16Bytes, uint32Bytes, type OptionCodec } from './option-codec.ts';
import { readRawOptions, writeRawOptions } from './raw-options.ts';

export interface Status {
  readonly code: number;
  readonly message: string;
}

/** RFC 8415 section 21.13. */
export const statusOption: OptionCodec<Status> = {
  decode: (bytes) => {
    const message = decodeUtf8(bytes.subarray(2));
    if (bytes.length < 2 || message === undefined) return undefined;
    return { code: new ByteReader(bytes).uint16('status'), message };
  },
  encode: ({ code, message }) => joined([uint16Bytes(code), encodeUtf8(message)]),
};

/** IA_NA, RFC 8415 section 21.4: a set of addresses that the client requests under its own id. Times are in seconds. */
export interface IdentityAssociation {
  readonly id: number;
  readonly renewalTimeSeconds: number;
  readonly rebindingTimeSeconds: number;
  readonly addresses: readonly AssociatedAddress[];
  readonly status?: Status;
}

interface AssociatedAddress {
  readonly address: Ipv6;
  readonly preferredLifetimeSeconds: number;
  readonly validLifetimeSeconds: number;
}

const ADDRESS = 5;
const STATUS = 13;

/** Options other than addresses and status, and options inside addresses, are ignored. */
export const identityAssociationOption: OptionCodec<IdentityAssociation> = {
  decode: (bytes) => {
    try {
      return readAssociation(new ByteReader(bytes));
    } catch (error) {
      if (error instanceof DecodeError) return undefined;
      throw error;
    }
  },
  encode: ({ id, renewalTimeSeconds, rebindingTimeSeconds, addresses, status }) =>
    joined([
      ...[id, renewalTimeSeconds, rebindingTimeSeconds].map(uint32Bytes),
      writeRawOptions([
        ...addresses.map((each) => ({ code: ADDRESS, bytes: addressBytes(each) })),
        ...(status === undefined ? [] : [{ code: STATUS, bytes: statusOption.encode(status) }]),
      ]),
    ]),
};

function readAssociation(reader: ByteReader): IdentityAssociation {
  const id = reader.uint32('id');
  const renewalTimeSeconds = reader.uint32('T1');
  const rebindingTimeSeconds = reader.uint32('T2');
  const options = readRawOptions(reader);
  const addresses = options.filter(({ code }) => code === ADDRESS).map(({ bytes }) => readAddress(bytes));
  const statusBytes = options.find(({ code }) => code === STATUS)?.bytes;
  const status = statusBytes === undefined ? undefined : statusOption.decode(statusBytes);
  return {
    id,
    renewalTimeSeconds,
    rebindingTimeSeconds,
    addresses,
    ...(status === undefined ? {} : { status }),
  };
}

function readAddress(bytes: Uint8Array): AssociatedAddress {
  const reader = new ByteReader(bytes);
  return {
    address: ipv6FromBytes(reader.bytes(16, 'address')),
    preferredLifetimeSeconds: reader.uint32('preferred lifetime'),
    validLifetimeSeconds: reader.uint32('valid lifetime'),
  };
}

function addressBytes(value: AssociatedAddress): Uint8Array {
  return joined([
    ipv6ToBytes(value.address),
    uint32Bytes(value.preferredLifetimeSeconds),
    uint32Bytes(value.validLifetimeSeconds),
  ]);
}
