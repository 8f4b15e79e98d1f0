export {
  createRegistryClient,
  type PulledArtifact,
  type PulledImage,
  type RegistryClient,
} from './registry-client.ts';
export type { RegistryCredentials, RegistrySettings } from './registry-settings.ts';
export { withOwnServer, type OwnServer } from './own-server.ts';
