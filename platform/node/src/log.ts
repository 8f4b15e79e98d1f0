import type { Log, LogFields } from '@tinkerbell/platform-contract';
import { isRecord } from '@tinkerbell/yaml/json';
import { nodeClock } from './clock.ts';
import { isoTimes } from './iso-times.ts';
import { LogLines } from './log-lines.ts';
import { membersOf } from './log-members.ts';

export interface NodeLogOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** `json` is for machines, `text` for people at a terminal. */
  readonly format: 'json' | 'text';
}

/** One for all logs of the process, so that their lines stay in order. */
const lines = new LogLines(nodeClock, (text) => process.stderr.write(text));
process.once('exit', () => lines.flush());

const isoTime = isoTimes(() => nodeClock.nowMs());

/** The numbers of pino and bunyan, which readers of logs know. */
const LEVELS = { debug: 20, info: 30, warn: 40, error: 50, silent: Number.POSITIVE_INFINITY } as const;

/** Writes to standard error. Standard output is reserved for results. */
export function createNodeLog({ level, format }: NodeLogOptions): Log {
  const write = format === 'json' ? (line: string) => lines.add(line) : writeText;
  return logWith('', LEVELS[level], write);
}

/** `members` are in every line. Warnings and errors are written at once, because the process may end after them. */
function logWith(members: string, least: number, write: (line: string) => void): Log {
  const add = (level: number, message: string, fields: LogFields | undefined): void => {
    if (level < least) return;
    const own = fields === undefined ? '' : membersOf(fields);
    write(`{"level":${level},"time":"${isoTime()}"${members}${own},"message":${JSON.stringify(message)}}\n`);
    if (level >= LEVELS.warn) lines.flush();
  };
  return {
    debug: (message, fields) => add(LEVELS.debug, message, fields),
    info: (message, fields) => add(LEVELS.info, message, fields),
    warn: (message, fields) => add(LEVELS.warn, message, fields),
    error: (message, fields) => add(LEVELS.error, message, fields),
    child: (fields: LogFields) => logWith(members + membersOf(fields), least, write),
  };
}

const levelNames: Readonly<Record<number, string>> = { 20: 'debug', 30: 'info ', 40: 'warn ', 50: 'error' };

/** `12:00:01.123 info  message key=value` */
function writeText(line: string): void {
  const fields: unknown = JSON.parse(line);
  lines.add(textOf(isRecord(fields) ? fields : {}));
}

function textOf(line: Record<string, unknown>): string {
  const { level, time, message, ...fields } = line;
  const rest = Object.entries(fields).map(
    ([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return `${String(time).slice(11, 23)} ${levelNames[Number(level)] ?? String(level)} ${String(message)}${rest.join('')}\n`;
}
