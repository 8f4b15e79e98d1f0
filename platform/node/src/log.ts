import { Writable } from 'node:stream';
import { pino, type Logger } from 'pino';
import type { Log, LogFields } from '@tinkerbell/platform-contract';
import { isRecord } from '@tinkerbell/yaml/json';

export interface NodeLogOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** `json` is for machines, `text` for people at a terminal. */
  readonly format: 'json' | 'text';
}

/** Writes to standard error. Standard output is reserved for results. */
export function createNodeLog(options: NodeLogOptions): Log {
  const stream = options.format === 'json' ? process.stderr : textStream();
  return wrap(
    pino(
      { level: options.level, base: null, messageKey: 'message', timestamp: pino.stdTimeFunctions.isoTime },
      stream,
    ),
  );
}

function wrap(logger: Logger): Log {
  return {
    debug: (message, fields) => logger.debug(fields ?? {}, message),
    info: (message, fields) => logger.info(fields ?? {}, message),
    warn: (message, fields) => logger.warn(fields ?? {}, message),
    error: (message, fields) => logger.error(fields ?? {}, message),
    child: (fields: LogFields) => wrap(logger.child(fields)),
  };
}

const levelNames: Readonly<Record<number, string>> = { 20: 'debug', 30: 'info ', 40: 'warn ', 50: 'error' };

/** `12:00:01.123 info  message key=value` */
function textStream(): Writable {
  return new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      const fields: unknown = JSON.parse(line);
      process.stderr.write(textOf(isRecord(fields) ? fields : {}), () => done());
    },
  });
}

function textOf(line: Record<string, unknown>): string {
  const { level, time, message, ...fields } = line;
  const rest = Object.entries(fields).map(
    ([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return `${String(time).slice(11, 23)} ${levelNames[Number(level)] ?? String(level)} ${String(message)}${rest.join('')}\n`;
}
