export { accessFrom, type ClusterAccess } from './cluster-access.ts';
export { ClusterClient, type Answer, type Call } from './cluster-client.ts';
export {
  createKubernetesStore,
  openKubernetesStore,
  type KubernetesStore,
  type KubernetesStoreOptions,
} from './kubernetes-store.ts';
export { createClusterMetrics } from './metrics.ts';
export { requiredRules } from './required-rules.ts';
export { waitForCluster } from './wait-for-cluster.ts';
