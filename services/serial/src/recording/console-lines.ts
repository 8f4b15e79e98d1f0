/**
 * Turns the bytes of a serial console into lines of text for people: without control sequences (ECMA-48), and with the last state of
 * a line that was overwritten. A screen that is drawn with cursor positions has a line for each position.
 */

/** A longer line is cut into several. */
const LINE_CHARACTERS_MAX = 500;
/** What is kept of a line that has not ended. Control sequences take more room than text. */
const PENDING_CHARACTERS_MAX = 8 * LINE_CHARACTERS_MAX;

const ESC = '\u001B';
/** Cursor position, which begins a line somewhere else. */
const POSITIONS = new RegExp(`${ESC}\\[[\\d;]*[Hf]`, 'g');
/** Control sequences, operating system commands with their end, and two-character escapes. */
const SEQUENCES = new RegExp(
  `${ESC}(?:\\[[0-?]*[ -/]*[@-~]|\\][^\\u0007${ESC}]*(?:\\u0007|${ESC}\\\\)|[ -/]*[0-~])`,
  'g',
);
/** All control characters except the tabulator. */
const CONTROLS = /[^\t\P{Cc}]/gu;

export class ConsoleLines {
  readonly #decoder = new TextDecoder();
  #pending = '';

  /** Returns the lines that the bytes complete. Empty ones are left out. */
  take(bytes: Uint8Array): readonly string[] {
    this.#pending += this.#decoder.decode(bytes, { stream: true });
    const lines = this.#pending.replaceAll(POSITIONS, '\n').split('\n');
    const last = lines.pop() ?? '';
    const isLong = last.length > PENDING_CHARACTERS_MAX;
    if (isLong) lines.push(last);
    this.#pending = isLong ? '' : last;
    return lines.flatMap(plainLines);
  }

  /** Returns the line that has not ended, such as a prompt, and begins a new one. */
  flush(): readonly string[] {
    const lines = plainLines(this.#pending);
    this.#pending = '';
    return lines;
  }
}

/** A carriage return starts the line again. */
function plainLines(line: string): readonly string[] {
  const text = line.replaceAll(SEQUENCES, '').replace(/\r+$/, '');
  const shown = overprinted(text.slice(text.lastIndexOf('\r') + 1))
    .replaceAll(CONTROLS, '')
    .trimEnd();
  const parts: string[] = [];
  for (let from = 0; from < shown.length; from += LINE_CHARACTERS_MAX)
    parts.push(shown.slice(from, from + LINE_CHARACTERS_MAX));
  return parts;
}

/** What is left on the screen: a backspace moves the cursor back, and what is printed next replaces what was there. */
function overprinted(text: string): string {
  if (!text.includes('\b')) return text;
  const shown: string[] = [];
  let cursor = 0;
  for (const character of text)
    if (character === '\b') cursor = Math.max(0, cursor - 1);
    else shown[cursor++] = character;
  return shown.join('');
}
