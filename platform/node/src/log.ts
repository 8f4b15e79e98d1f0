import { pino, type Logger } from 'pino';
import type { Log, LogFields } from '@tinkerbell/platform-contract';
import { isRecord } from '@tinkerbell/yaml/json';
import { nodeClock } from './clock.ts';
import { isoTimes } from './iso-times.ts';
import { LogLines } from './log-lines.ts';

export interface NodeLogOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** `json` is for machines, `text` for people at a terminal. */
  readonly format: 'json' | 'text';
}

/** One for all logs of the process, so that their lines stay in order. */
const lines = new LogLines(nodeClock, (text) => process.stderr.write(text));
process.once('exit', () => lines.flush());

const isoTime = isoTimes(() => nodeClock.nowMs());
/** What pino adds to each line. */
const timestamp = (): string => `,"time":"${isoTime()}"`;

/** Writes to standard error. Standard output is reserved for results. */
export function createNodeLog(options: NodeLogOptions): Log {
  const write = options.format === 'json' ? (line: string) => lines.add(line) : writeText;
  return wrap(pino({ level: options.level, base: null, messageKey: 'message', timestamp }, { write }));
}

/** Warnings and errors are written at once, because the process may end after them. */
function wrap(logger: Logger): Log {
  return {
    debug: (message, fields) => logger.debug(fields ?? {}, message),
    info: (message, fields) => logger.info(fields ?? {}, message),
    warn(message, fields) {
      logger.warn(fields ?? {}, message);
      lines.flush();
    },
    error(message, fields) {
      logger.error(fields ?? {}, message);
      lines.flush();
    },
    child: (fields: LogFields) => wrap(logger.child(fields)),
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
