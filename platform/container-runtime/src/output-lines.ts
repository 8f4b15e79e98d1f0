/** Splits output into lines. A line without an end is split, so that memory is bounded. */
import { StringDecoder } from 'node:string_decoder';

const LINE_MAX = 16 * 1024;

export class OutputLines {
  readonly #onLine: (line: string) => void;
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  take(chunk: Buffer): void {
    const lines = (this.#rest + this.#decoder.write(chunk)).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#line(line);
    while (this.#rest.length > LINE_MAX) {
      this.#line(this.#rest.slice(0, LINE_MAX));
      this.#rest = this.#rest.slice(LINE_MAX);
    }
  }

  end(): void {
    const rest = this.#rest + this.#decoder.end();
    this.#rest = '';
    this.#line(rest);
  }

  #line(line: string): void {
    const text = line.replace(/\r$/, '');
    if (text !== '') this.#onLine(text);
  }
}
