/** Log levels of the server and its parts. */
import { createNodeLog } from '@tinkerbell/platform-node';
import type { Log } from '@tinkerbell/platform-contract';
import type { FlagReader } from './flag-reader.ts';

/** Parts with their own log level, under upstream's names. */
const names = ['smee', 'tootles', 'tink-server', 'tink-controller'] as const;
type Part = (typeof names)[number];
type Level = 'debug' | 'info' | 'silent';

export type LogLevels = Readonly<Record<Part | 'server', Level>>;
export type Logs = Readonly<Record<Part | 'server', Log>>;

/** Upstream's numbers: above 0 logs more, below 0 logs nothing. For a part, 0 means the server's level. */
export function logLevelsOf(flags: FlagReader): LogLevels {
  const range = [-100, 100] as const;
  const server = flags.number('log-level', range);
  const parts = names.map((part) => [part, levelOf(flags.number(`${part}-log-level`, range) || server)]);
  return { server: levelOf(server), ...(Object.fromEntries(parts) as Record<Part, Level>) };
}

function levelOf(number: number): Level {
  if (number < 0) return 'silent';
  return number > 0 ? 'debug' : 'info';
}

export function openLogs(levels: LogLevels, format: 'json' | 'text'): Logs {
  const logs = Object.entries(levels).map(([part, level]) => [part, createNodeLog({ level, format })]);
  return Object.fromEntries(logs) as Record<keyof LogLevels, Log>;
}
