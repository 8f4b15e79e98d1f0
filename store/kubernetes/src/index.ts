export { accessFrom, type ClusterAccess } from './cluster-access.ts';
export { ClusterClient, type Answer, type Call } from './cluster-client.ts';
export {
  openKubernetesStore,
  type KubernetesStore,
  type KubernetesStoreOptions,
} from './kubernetes-store.ts';
