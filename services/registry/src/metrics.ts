import type { MetricSet } from '@tinkerbell/platform-metrics';

export type RegistryMetrics = ReturnType<typeof createRegistryMetrics>;

export function createRegistryMetrics(set: MetricSet) {
  return {
    receivedBytes: set.counter('registry_received_bytes_total', 'bytes of blobs that clients sent'),
    sentBytes: set.counter('registry_sent_bytes_total', 'bytes of blobs sent to clients'),
    manifests: set.counter('registry_manifests_total', 'manifests pushed and pulled', ['operation']),
    uploads: set.gauge('registry_uploads', 'uploads that have begun and not ended'),
    storedBytes: set.gauge('registry_stored_bytes', 'bytes of all blobs'),
    collectedBytes: set.counter('registry_collected_bytes_total', 'bytes that garbage collection removed'),
    peers: set.gauge('registry_peers', 'agents that write a disk image and serve its chunks to others'),
    peerBytes: set.counter(
      'registry_peer_bytes_total',
      'bytes of disk images that agents got from each other, as they report it',
    ),
    rejected: set.counter('registry_errors_total', 'requests answered with an error', ['code']),
  };
}
