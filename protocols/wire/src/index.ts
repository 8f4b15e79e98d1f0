export { DecodeError, decoded, type Decoded, type DecodeFailure } from './decode-error.ts';
export { ByteReader } from './byte-reader.ts';
export { ByteWriter } from './byte-writer.ts';
export { BoundedCache } from './bounded-cache.ts';
export { bytesToHex, hexToBytes } from './hex.ts';
export { plainBytes } from './plain-bytes.ts';
export { decodeUtf8, encodeUtf8 } from './utf8.ts';
export {
  formatMac,
  isGroupMac,
  mac,
  MAC_BYTES,
  macFromBytes,
  macToBytes,
  parseMac,
  type Mac,
  type MacFormat,
} from './mac.ts';
export {
  ipv4,
  IPV4_ANY,
  IPV4_BROADCAST,
  ipv4FromNumber,
  ipv4ToBytes,
  ipv4ToNumber,
  isHostAddress,
  isIpv4,
  parseIpv4,
  type Ipv4,
} from './ipv4.ts';
export {
  broadcastAddress,
  isNetworkEdge,
  netmaskOf,
  networkAddress,
  networkContains,
  parseIpv4Network,
  prefixLengthOf,
  type Ipv4Network,
} from './ipv4-network.ts';
export { ipv6FromBytes, ipv6ToBytes, parseIpv6, type Ipv6 } from './ipv6.ts';
export {
  formatIpAddress,
  ipAddressBytes,
  ipv4Within,
  isLoopback,
  parseIpAddress,
  type IpAddress,
} from './ip-address.ts';
export { ipNetwork, ipNetworkContains, parseIpNetwork, type IpNetwork } from './ip-network.ts';
