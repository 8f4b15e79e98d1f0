import type { Clock } from '@tinkerbell/platform-contract';
import type { FleetOptions } from './fleet-options.ts';
import type { FleetWorld } from './fleet-world.ts';
import { exchangeLine, headerLine, RecordingReader, type Recording } from './recording.ts';

interface ExchangeLogParts {
  readonly clock: Clock;
  readonly record?: (line: string) => void;
  readonly replay?: Recording;
}

export interface ExchangeLog {
  readonly onExchange: NonNullable<FleetWorld['onExchange']>;
  readonly answers: () => Recording['answers'];
}

/** Writes and collects what the machines send and get. Undefined when nobody wants to know. */
export function createExchangeLog(
  { clock, record, replay }: ExchangeLogParts,
  options: FleetOptions,
): ExchangeLog | undefined {
  if (record === undefined && replay === undefined) return undefined;
  const reader = new RecordingReader();
  const startedMs = clock.monotonicMs();
  record?.(headerLine(options));
  return {
    onExchange(machine, what, text) {
      const exchange = { atMs: clock.monotonicMs() - startedMs, machine, what, text };
      reader.add(exchange);
      record?.(exchangeLine(exchange));
    },
    answers: () => reader.answers(),
  };
}
