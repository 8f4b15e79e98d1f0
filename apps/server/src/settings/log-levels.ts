/** Log levels of the server and its parts. */
import { createNodeLog } from '@tinkerbell/platform-node';
import type { Log } from '@tinkerbell/platform-contract';
import type { FlagReader } from './flag-reader.ts';

/** Parts with their own log level, under upstream's names. */
type Part = 'smee' | 'tootles' | 'tink-server' | 'tink-controller' | 'rufio' | 'secondstar';
type Level = 'debug' | 'info' | 'silent';

export type LogLevels = Readonly<Record<Part | 'server', Level>>;
export type Logs = Readonly<Record<Part | 'server', Log>>;

/** Upstream's numbers: above 0 logs more, below 0 logs nothing. For a part, 0 means the server's level. */
export function logLevelsOf(flags: FlagReader): LogLevels {
  const range = [-100, 100] as const;
  const server = flags.number('log-level', range);
  const ofPart = (part: Part): Level => levelOf(flags.number(`${part}-log-level`, range) || server);
  return {
    server: levelOf(server),
    smee: ofPart('smee'),
    tootles: ofPart('tootles'),
    'tink-server': ofPart('tink-server'),
    'tink-controller': ofPart('tink-controller'),
    rufio: ofPart('rufio'),
    secondstar: ofPart('secondstar'),
  };
}

function levelOf(number: number): Level {
  if (number < 0) return 'silent';
  return number > 0 ? 'debug' : 'info';
}

export function openLogs(levels: LogLevels, format: 'json' | 'text'): Logs {
  const open = (level: Level): Log => createNodeLog({ level, format });
  return {
    server: open(levels.server),
    smee: open(levels.smee),
    tootles: open(levels.tootles),
    'tink-server': open(levels['tink-server']),
    'tink-controller': open(levels['tink-controller']),
    rufio: open(levels.rufio),
    secondstar: open(levels.secondstar),
  };
}
