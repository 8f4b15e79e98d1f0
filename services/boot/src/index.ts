export { createBootService, type BootService } from './boot-service.ts';
export {
  defaultTftpCaps,
  type BootConfig,
  type BootDeps,
  type DhcpConfig,
  type Dhcpv6Config,
  type RouterAdvertisementConfig,
  type SyslogConfig,
  type TftpConfig,
} from './config.ts';
export { hasWorkToDo } from './machine-state.ts';
