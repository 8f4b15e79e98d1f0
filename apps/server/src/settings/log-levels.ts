/** How much the server and its parts log. */
import { createNodeLog } from '@tinkerbell/platform-node';
import type { Log } from '@tinkerbell/platform-contract';
import type { Flag } from './flag.ts';
import type { FlagReader } from './flag-reader.ts';

/** Parts that may log more or less than the rest, under upstream's names. */
const PARTS = {
  smee: 'DHCP, TFTP, scripts, binaries and syslog',
  tootles: 'instance metadata',
  'tink-server': 'the gRPC service of agents',
  'tink-controller': 'the workflow controller',
} as const;
type Part = keyof typeof PARTS;
const names = Object.keys(PARTS) as readonly Part[];
type Level = 'debug' | 'info' | 'silent';

export const logLevelFlags: readonly Flag[] = [
  {
    name: 'log-level',
    type: 'number',
    default: '0',
    description: 'greater than 0 logs every decision, below 0 logs nothing',
  },
  ...names.map((part): Flag => ({
    name: `${part}-log-level`,
    type: 'number',
    default: '0',
    description: `the same for ${PARTS[part]} alone; 0 is what --log-level says`,
  })),
];

export type LogLevels = Readonly<Record<Part | 'server', Level>>;
export type Logs = Readonly<Record<Part | 'server', Log>>;

/** Upstream's numbers: greater than 0 says more, less than 0 nothing; 0 of a part is what the server has. */
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
