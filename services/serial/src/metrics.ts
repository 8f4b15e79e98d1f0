import type { MetricSet } from '@tinkerbell/platform-metrics';

export type SerialMetrics = ReturnType<typeof createSerialMetrics>;

/** What the serial console service counts. */
export function createSerialMetrics(set: MetricSet) {
  return {
    logins: set.counter('serial_logins_total', 'SSH logins to serial consoles by outcome', ['outcome']),
    sessions: set.gauge('serial_sessions', 'Sessions on serial consoles, over SSH and of web pages'),
    recordings: set.gauge('serial_recordings', 'serial consoles that are recorded'),
    recordedLines: set.counter('serial_recorded_lines_total', 'recorded lines of serial consoles', []),
    consoles: set.gauge('serial_consoles', 'serial consoles that are open at BMCs'),
  };
}
