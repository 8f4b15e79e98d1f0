export { createBootService, type BootService } from './boot-service.ts';
export {
  defaultTftpCaps,
  type BootConfig,
  type BootDeps,
  type DhcpConfig,
  type SyslogConfig,
  type TftpConfig,
} from './config.ts';
export { hasWorkToDo } from './machine-state.ts';
