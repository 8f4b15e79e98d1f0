import type { StructuredElement, SyslogContent } from './message.ts';

const NIL = '-';
const HEADER = /^1 (\S+) (\S+) (\S+) (\S+) (\S+)(?: |$)/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * RFC 5424 section 6, after the priority. Returns undefined when the header does not have this format. Structured data that
 * cannot be parsed stays, with everything after it, in `text`.
 */
export function readRfc5424(text: string): SyslogContent | undefined {
  const header = HEADER.exec(text);
  if (header === null) return undefined;
  const [whole, timestamp = '', hostName = '', appName = '', processId = '', messageId = ''] = header;
  if (timestamp !== NIL && !TIMESTAMP.test(timestamp)) return undefined;
  const { elements, rest } = readStructuredData(text.slice(whole.length));
  return {
    format: 'rfc5424',
    ...present({ timestamp, hostName, appName, processId, messageId }),
    structuredData: elements,
    text: rest,
  };
}

type HeaderFields = Pick<SyslogContent, 'timestamp' | 'hostName' | 'appName' | 'processId' | 'messageId'>;

function present(fields: Readonly<Record<keyof HeaderFields, string>>): HeaderFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== NIL));
}

interface StructuredData {
  readonly elements: readonly StructuredElement[];
  readonly rest: string;
}

function readStructuredData(text: string): StructuredData {
  const unread = { elements: [], rest: text };
  if (text === NIL || text.startsWith(`${NIL} `)) return { elements: [], rest: text.slice(2) };
  const elements: StructuredElement[] = [];
  let at = 0;
  while (text[at] === '[') {
    const element = readElement(text, at);
    if (element === undefined) return unread;
    elements.push(element.value);
    at = element.end;
  }
  const isEnded = at > 0 && (at === text.length || text[at] === ' ');
  return isEnded ? { elements, rest: text.slice(at + 1) } : unread;
}

// These are sticky: each continues where the previous one ended, so that a long element is read once.
const ELEMENT_ID = /\[([^\s=\]"]+)/y;
const PARAMETER = / +([^\s=\]"]+)="((?:[^"\\\]]|\\[\s\S])*)"/y;

function readElement(text: string, start: number): { value: StructuredElement; end: number } | undefined {
  ELEMENT_ID.lastIndex = start;
  const id = ELEMENT_ID.exec(text)?.[1];
  if (id === undefined) return undefined;
  const parameters: { name: string; value: string }[] = [];
  let end = ELEMENT_ID.lastIndex;
  for (;;) {
    PARAMETER.lastIndex = end;
    const parameter = PARAMETER.exec(text);
    if (parameter === null) break;
    parameters.push({ name: parameter[1] ?? '', value: unescaped(parameter[2] ?? '') });
    end = PARAMETER.lastIndex;
  }
  return text[end] === ']' ? { value: { id, parameters }, end: end + 1 } : undefined;
}

/** RFC 5424 section 6.3.3: only these three are escapes. Any other backslash stands for itself. */
function unescaped(value: string): string {
  return value.replaceAll(/\\(["\\\]])/g, '$1');
}
