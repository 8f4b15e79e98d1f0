import { readKernelText, readNetconsole } from './kernel-line.ts';
import type { StructuredElement, SyslogContent, SyslogMessage } from './message.ts';
import { printable, textOf } from './printable.ts';
import { PRIORITY_DEFAULT, priorityOf } from './priority.ts';
import { readRfc3164 } from './rfc3164.ts';
import { readRfc5424 } from './rfc5424.ts';

const PRIORITY = /^<(\d{1,3})>/;
const BYTE_ORDER_MARK = /^\uFEFF/;
/** Line ends and NULs that senders append to the message. */
// oxlint-disable-next-line no-control-regex
const TAIL = /[\r\n\u0000]$/;

/** The formats are ordered. The first one that does not decline (undefined) is the message's format. */
const formats: readonly ((text: string) => SyslogContent | undefined)[] = [
  readRfc5424,
  readKernelText,
  readRfc3164,
];

/** Decodes one datagram. It never fails: a message in no known format becomes `text`, with its priority or RFC 3164's default. */
export function decodeSyslog(bytes: Uint8Array): SyslogMessage {
  const datagram = textOf(withoutTail(bytes));
  const match = PRIORITY.exec(datagram);
  const priority = match === null ? undefined : priorityOf(Number(match[1]));
  if (match === null || priority === undefined) {
    return printableMessage(
      readNetconsole(datagram) ?? { ...PRIORITY_DEFAULT, ...plain(datagram.replace(BYTE_ORDER_MARK, '')) },
    );
  }
  const text = datagram.slice(match[0].length);
  for (const read of formats) {
    const content = read(text);
    if (content !== undefined) return printableMessage({ ...priority, ...content });
  }
  return printableMessage({ ...priority, ...plain(text) });
}

function withoutTail(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && TAIL.test(String.fromCharCode(bytes[end - 1] ?? 0))) end -= 1;
  return bytes.subarray(0, end);
}

function plain(text: string): SyslogContent {
  return { format: 'text', structuredData: [], text };
}

function printableMessage(message: SyslogMessage): SyslogMessage {
  const { timestamp, hostName, appName, processId, messageId } = message;
  return {
    ...message,
    ...(timestamp === undefined ? {} : { timestamp: printable(timestamp) }),
    ...(hostName === undefined ? {} : { hostName: printable(hostName) }),
    ...(appName === undefined ? {} : { appName: printable(appName) }),
    ...(processId === undefined ? {} : { processId: printable(processId) }),
    ...(messageId === undefined ? {} : { messageId: printable(messageId) }),
    structuredData: message.structuredData.map(printableElement),
    text: printable(message.text.replace(BYTE_ORDER_MARK, '')),
  };
}

function printableElement({ id, parameters }: StructuredElement): StructuredElement {
  return {
    id: printable(id),
    parameters: parameters.map(({ name, value }) => ({ name: printable(name), value: printable(value) })),
  };
}
