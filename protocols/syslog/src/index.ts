export { decodeSyslog } from './decode-syslog.ts';
export type { StructuredElement, SyslogFormat, SyslogMessage } from './message.ts';
export { facilities, severities, type Facility, type Priority, type Severity } from './priority.ts';
