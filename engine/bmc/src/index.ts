export { adviceFor, BmcError, bmcErrorCodes, type BmcErrorCode } from './bmc-error.ts';
export {
  type BmcCredentials,
  type BmcDriver,
  type BmcSession,
  type BmcTarget,
  type ListedSubscription,
  type MediaState,
  type SerialConsole,
} from './driver.ts';
export {
  BmcConnections,
  type Call,
  type ConnectionsDeps,
  type Drivers,
  type OpenedConsole,
} from './connections/bmc-connections.ts';
export {
  resolveConnection,
  type ResolvedConnection,
  type TrustOf,
} from './connections/resolve-connection.ts';
export { parseAddressRange } from './discovery/address-range.ts';
export { discoverBmcs, type FoundBmc } from './discovery/discover-bmcs.ts';
export { createAmtDriver } from './amt/amt-driver.ts';
export type { AmtDeps, AmtOptions } from './amt/amt-deps.ts';
export { nodeDigestHash } from './amt/node-digest.ts';
export { createHomeAssistantDriver } from './home-assistant/home-assistant-driver.ts';
export { createRpcDriver } from './rpc/rpc-driver.ts';
export { createIpmiDriver } from './ipmi/ipmi-driver.ts';
export type { IpmiDeps, IpmiOptions } from './ipmi/ipmi-deps.ts';
export { nodeIpmiCrypto } from './ipmi/node-crypto.ts';
export { createRedfishDriver, type RedfishDeps, type RedfishOptions } from './redfish/redfish-driver.ts';
