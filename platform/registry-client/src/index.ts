export { createRegistryClient, type PulledImage, type RegistryClient } from './registry-client.ts';
export {
  readHosts,
  readMirrors,
  type RegistryCredentials,
  type RegistrySettings,
} from './registry-settings.ts';
