import { parseIpAddress, type IpAddress } from './ip-address.ts';

/** A network of either family. Bits of the address after the prefix are ignored. */
export interface IpNetwork {
  readonly address: IpAddress;
  readonly prefixLength: number;
}

/** Parses `10.0.0.0/8`, `fd00::/8`, or one address. Returns undefined for anything else. */
export function parseIpNetwork(text: string): IpNetwork | undefined {
  const slash = text.indexOf('/');
  const address = parseIpAddress(slash < 0 ? text : text.slice(0, slash));
  if (address === undefined) return undefined;
  if (slash < 0) return { address, prefixLength: address.bits };
  const length = text.slice(slash + 1);
  const prefixLength = /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  return prefixLength <= address.bits ? { address, prefixLength } : undefined;
}

/** For networks written in the program: throws RangeError on anything `parseIpNetwork` refuses. */
export function ipNetwork(text: string): IpNetwork {
  const network = parseIpNetwork(text);
  if (network === undefined) throw new RangeError(`not a network: ${JSON.stringify(text)}`);
  return network;
}

/** Returns false for an address of the other family. */
export function ipNetworkContains({ address, prefixLength }: IpNetwork, candidate: IpAddress): boolean {
  if (address.bits === 32) {
    // A shift by 32 bits has no effect.
    return (
      candidate.bits === 32 &&
      (prefixLength === 0 || (address.value ^ candidate.value) >>> (32 - prefixLength) === 0)
    );
  }
  const shift = BigInt(128 - prefixLength);
  return candidate.bits === 128 && address.value >> shift === candidate.value >> shift;
}
