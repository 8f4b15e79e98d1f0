/** The values that a log line may carry beside its message. */
export type LogFields = Readonly<Record<string, unknown>>;

/** A structured log with one line per decision. Messages are constant text, and values go into fields. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Returns a log that adds `fields` to every line. */
  child(fields: LogFields): Log;
}
