import type { Priority } from './priority.ts';

/** `kernel`: a netconsole line. `text`: a line with at most a priority. */
export type SyslogFormat = 'rfc5424' | 'rfc3164' | 'kernel' | 'text';

/** All texts are printable (see `printable`). Fields that the sender omitted are absent. */
export interface SyslogMessage extends Priority {
  readonly format: SyslogFormat;
  /**
   * The text as the sender wrote it: RFC 3164 has no year and no time zone, and booting machines do not have the correct time.
   */
  readonly timestamp?: string;
  readonly hostName?: string;
  readonly appName?: string;
  readonly processId?: string;
  readonly messageId?: string;
  readonly structuredData: readonly StructuredElement[];
  readonly text: string;
}

/** RFC 5424 section 6.3. A name may occur more than once. */
export interface StructuredElement {
  readonly id: string;
  readonly parameters: readonly { readonly name: string; readonly value: string }[];
}

/** The fields that a format's reader finds after the priority, or undefined when the text does not have its format. */
export type SyslogContent = Omit<SyslogMessage, 'facility' | 'severity'>;
