export { createBootService, type BootService } from './boot-service.ts';
export {
  defaultTftpCaps,
  type BootConfig,
  type BootDeps,
  type Dhcpv6Config,
  type IsoConfig,
  type RouterAdvertisementConfig,
  type SyslogConfig,
  type TftpConfig,
} from './config.ts';
export type { DhcpConfig } from './dhcp/dhcp-config.ts';
export type { StartDhcpThread } from './dhcp/thread/start-thread.ts';
export { mayFetchFrom, type AllowedSources } from './iso/address-policy.ts';
export { hasWorkToDo } from './machine-state.ts';
export { createBootMetrics } from './metrics.ts';
