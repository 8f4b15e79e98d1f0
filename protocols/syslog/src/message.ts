import type { Priority } from './priority.ts';

/** `kernel`: a netconsole line. `text`: nothing but a priority, or not even that. */
export type SyslogFormat = 'rfc5424' | 'rfc3164' | 'kernel' | 'text';

/** All texts are printable (see `printable`); fields the sender left out are absent. */
export interface SyslogMessage extends Priority {
  readonly format: SyslogFormat;
  /** As the sender wrote it: RFC 3164 has no year and no time zone, and machines that boot have no right time. */
  readonly timestamp?: string;
  readonly hostName?: string;
  readonly appName?: string;
  readonly processId?: string;
  readonly messageId?: string;
  readonly structuredData: readonly StructuredElement[];
  readonly text: string;
}

/** RFC 5424 section 6.3. A name may be there more than once. */
export interface StructuredElement {
  readonly id: string;
  readonly parameters: readonly { readonly name: string; readonly value: string }[];
}

/** What a format's reader finds after the priority; undefined when the text is not of its format. */
export type SyslogContent = Omit<SyslogMessage, 'facility' | 'severity'>;
