import type { Log, LogFields } from '@tinkerbell/platform-contract';

/**
 * Writes log lines to the machine's console: seconds since power-on, message, fields.
 *
 * @param write gets one line with its line break.
 */
export function createConsoleLog(options: {
  readonly write: (line: string) => void;
  readonly uptimeSeconds: () => number;
  readonly debug: boolean;
  readonly fields?: LogFields;
}): Log {
  const fixed = options.fields ?? {};
  const line = (mark: string, message: string, fields: LogFields = {}): void => {
    const all = Object.entries({ ...fixed, ...fields });
    const text = all.map(([key, value]) => ` ${key}=${fieldText(value)}`).join('');
    options.write(`agent: [${options.uptimeSeconds().toFixed(2)} s] ${mark}${message}${text}\n`);
  };
  return {
    debug: (message, fields) => (options.debug ? line('', message, fields) : undefined),
    info: (message, fields) => line('', message, fields),
    warn: (message, fields) => line('warning: ', message, fields),
    error: (message, fields) => line('error: ', message, fields),
    child: (fields) => createConsoleLog({ ...options, fields: { ...fixed, ...fields } }),
  };
}

function fieldText(value: unknown): string {
  if (value instanceof Error) return value.message;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
