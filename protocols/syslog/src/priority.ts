/** Facilities of RFC 5424 section 6.2.1, in numerical order, spelled as in upstream's log. */
export const severities = ['EMERG', 'ALERT', 'CRIT', 'ERR', 'WARNING', 'NOTICE', 'INFO', 'DEBUG'] as const;

/** Severities of RFC 5424 section 6.2.1, in numerical order. */
export const facilities = [
  'kern',
  'user',
  'mail',
  'daemon',
  'auth',
  'syslog',
  'lpr',
  'news',
  'uucp',
  'cron',
  'authpriv',
  'ftp',
  'ntp',
  'audit',
  'alert',
  'clock',
  'local0',
  'local1',
  'local2',
  'local3',
  'local4',
  'local5',
  'local6',
  'local7',
] as const;

export type Severity = (typeof severities)[number];
export type Facility = (typeof facilities)[number];

export interface Priority {
  readonly facility: Facility;
  readonly severity: Severity;
}

/** RFC 3164 section 4.3.3: the priority of a message without one. */
export const PRIORITY_DEFAULT: Priority = { facility: 'user', severity: 'NOTICE' };

/** Facility times eight plus severity, 0 to 191. Returns undefined above. */
export function priorityOf(value: number): Priority | undefined {
  const facility = facilities[value >>> 3];
  const severity = severities[value & 7];
  return facility === undefined || severity === undefined ? undefined : { facility, severity };
}
