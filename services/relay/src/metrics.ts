import type { MetricSet } from '@tinkerbell/platform-metrics';

export type RelayMetrics = ReturnType<typeof createRelayMetrics>;

/** The metrics of the DHCP relay. `way` is empty towards servers. */
export function createRelayMetrics(set: MetricSet) {
  return {
    forwarded: set.counter('relay_forwarded_total', 'DHCP packets that the relay forwarded', [
      'direction',
      'way',
    ]),
    dropped: set.counter('relay_dropped_total', 'DHCP packets that the relay dropped', ['reason']),
    informationOmitted: set.counter(
      'relay_information_omitted_total',
      'DHCP packets without room for the relay agent information',
    ),
  };
}
