/** Values a log line may carry beside its message. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Structured log; one line per decision. Messages are constant text, values go into fields. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A log whose lines all carry `fields`. */
  child(fields: LogFields): Log;
}
