export {
  createRegistryClient,
  type PulledArtifact,
  type PulledImage,
  type RegistryClient,
} from './registry-client.ts';
export type { RegistryCredentials, RegistrySettings } from './registry-settings.ts';
export {
  createRegistryPush,
  type PushedBlob,
  type PushedImage,
  type PushedManifest,
  type PushTotals,
  type RegistryPush,
} from './registry-push.ts';
export { withOwnServer, type OwnServer } from './own-server.ts';
