import type { SyslogContent, SyslogMessage } from './message.ts';
import { PRIORITY_DEFAULT, priorityOf } from './priority.ts';

const APP_NAME = 'kernel';
/** `[   12.345678] `, with CONFIG_PRINTK_CALLER `[   12.345678][    T1] `. */
const TIME_STAMPED = /^\[ *\d+\.\d{6}\](?:\[ *[TC]\d+\])? /;
/** Extended netconsole: `[release,]level,sequence,microseconds,flags[,key=value];text`, as /dev/kmsg writes it. */
const EXTENDED = /^(?:[\w.+~-]{1,64},)?(\d{1,3}),\d{1,20},\d{1,20},[^;\s]{1,128};/;

/**
 * Decodes a kernel line after a priority, as klogd and some consoles forward it. Returns undefined when it has no kernel time.
 */
export function readKernelText(text: string): SyslogContent | undefined {
  return TIME_STAMPED.test(text)
    ? { format: 'kernel', appName: APP_NAME, structuredData: [], text }
    : undefined;
}

/** Decodes a netconsole datagram, which has no priority in front. Returns undefined when it is not one. */
export function readNetconsole(text: string): SyslogMessage | undefined {
  const [whole, level] = EXTENDED.exec(text) ?? [];
  const priority = priorityOf(Number(level));
  if (whole !== undefined && priority !== undefined) {
    return {
      ...priority,
      format: 'kernel',
      appName: APP_NAME,
      structuredData: [],
      text: text.slice(whole.length),
    };
  }
  const content = readKernelText(text);
  return content === undefined ? undefined : { ...PRIORITY_DEFAULT, facility: 'kern', ...content };
}
