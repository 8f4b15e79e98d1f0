/** The output of a machine's serial port, as lines for people without terminal control sequences. */

// oxlint-disable-next-line no-control-regex -- terminal control sequences are what is looked for
const CONTROL = /\u001b(?:\[[0-9;?=]*[A-Za-z]|[()][A-Z0-9]|[=>c78])|[\u0000-\u0008\u000b-\u001a\u007f]/g;

/** The number of characters kept of a line that does not end. */
const LINE_MAX_CHARACTERS = 4096;

export interface SerialConsole {
  push(chunk: Uint8Array): void;
  /** Calls back with the bytes as they come. */
  onBytes(listener: (chunk: Uint8Array) => void): void;
  /** The number of bytes so far. While it grows, the machine is working. */
  readonly bytes: number;
  /** Calls back for each whole line, and for an unfinished login prompt. */
  onLine(listener: (line: string) => void): void;
  /** The last lines, for an error report. */
  tail(count: number): readonly string[];
}

const LOGIN_PROMPT = /\S+ login: $/;
const TAIL_LINES = 200;

export function createSerialConsole(): SerialConsole {
  const listeners: ((line: string) => void)[] = [];
  const byteListeners: ((chunk: Uint8Array) => void)[] = [];
  const lines: string[] = [];
  let rest = '';
  let bytes = 0;
  const emit = (raw: string): void => {
    const line = raw.trimEnd();
    if (line === '') return;
    lines.push(line);
    if (lines.length > TAIL_LINES) lines.shift();
    for (const listener of listeners) listener(line);
  };
  return {
    get bytes() {
      return bytes;
    },
    push(chunk) {
      bytes += chunk.length;
      for (const listener of byteListeners) listener(chunk);
      const text = rest + Buffer.from(chunk).toString('latin1');
      const parts = text.split(/\r*\n|\r+/);
      rest = (parts.pop() ?? '').slice(-LINE_MAX_CHARACTERS);
      for (const part of parts) emit(part.replaceAll(CONTROL, ''));
      const unfinished = rest.replaceAll(CONTROL, '');
      if (LOGIN_PROMPT.test(unfinished)) {
        emit(unfinished);
        rest = '';
      }
    },
    onLine: (listener) => void listeners.push(listener),
    onBytes: (listener) => void byteListeners.push(listener),
    tail: (count) => lines.slice(-count),
  };
}
