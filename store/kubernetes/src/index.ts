export { accessFrom, type ClusterAccess } from './cluster-access.ts';
export { ClusterClient } from './cluster-client.ts';
export {
  openKubernetesStore,
  type KubernetesStore,
  type KubernetesStoreOptions,
} from './kubernetes-store.ts';
