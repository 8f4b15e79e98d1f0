/**
 * The answer to a list. A short list is sent at once. A longer one is sent in pieces as the client reads, so a client that does not
 * read uses the memory of one piece. The metadata comes last, because it is known only then.
 */
import { StreamResponse, WholeResponse } from '@tinkerbell/platform-contract';
import type { Resource } from '@tinkerbell/resources';
import type { Piece, Position } from './list-page.ts';

export interface ListShape {
  /** The text before the items, and the name of their field. */
  readonly head: { readonly apiVersion: string; readonly kind: string };
  readonly items: 'items' | 'rows';
  readonly show: (resource: Resource) => object;
  readonly metadata: (revision: number, next: Position | undefined) => object;
}

export interface Pieces {
  readonly pieces: AsyncGenerator<Piece, void, undefined>;
  /** Called with the size of each piece in bytes before the next one is read. */
  readonly sized: (bytes: number) => void;
}

/** Most lists are shorter, and sending them at once is cheaper. */
const WHOLE_CHARACTERS_MAX = 2 * 1024 * 1024;

/** Rejects if the first pieces cannot be read. */
export async function listAnswer(source: Pieces, shape: ListShape): Promise<Response> {
  const parts = new ListParts(source, shape);
  const begun: string[] = [];
  let length = 0;
  for (let part = await parts.next(); part !== undefined; part = await parts.next()) {
    if (part !== '') begun.push(part);
    length += part.length;
    if (length > WHOLE_CHARACTERS_MAX)
      return new StreamResponse(streamOf(parts, `${parts.head},"${shape.items}":[${begun.join(',')}`), {
        headers: { 'content-type': 'application/json' },
      });
  }
  const text = `${parts.head},"metadata":${parts.metadata()},"${shape.items}":[${begun.join(',')}]}\n`;
  return new WholeResponse(text, { headers: { 'content-type': 'application/json' } });
}

class ListParts {
  /** Returns the JSON without its closing brace. */
  readonly head: string;
  readonly #source: Pieces;
  readonly #shape: ListShape;
  #last: Piece | undefined;

  constructor(source: Pieces, shape: ListShape) {
    this.#source = source;
    this.#shape = shape;
    this.head = JSON.stringify(shape.head).slice(0, -1);
  }

  /** Returns items with commas between them; empty if no item of a piece was selected, undefined after the last piece. */
  async next(): Promise<string | undefined> {
    const { done, value } = await this.#source.pieces.next();
    if (done === true) return undefined;
    this.#last = value;
    const text = value.items.map((item) => JSON.stringify(this.#shape.show(item))).join(',');
    this.#source.sized(text.length);
    return text;
  }

  metadata(): string {
    return JSON.stringify(this.#shape.metadata(this.#last?.revision ?? 0, this.#last?.next));
  }

  async end(): Promise<void> {
    await this.#source.pieces.return();
  }
}

function streamOf(parts: ListParts, begin: string): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let waiting = begin;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (waiting !== '') {
          controller.enqueue(encoder.encode(waiting));
          waiting = '';
          return;
        }
        const part = await nextSelected(parts);
        if (part !== undefined) return controller.enqueue(encoder.encode(`,${part}`));
        controller.enqueue(encoder.encode(`],"metadata":${parts.metadata()}}\n`));
        controller.close();
      },
      cancel: () => parts.end(),
    },
    { highWaterMark: 0 },
  );
}

async function nextSelected(parts: ListParts): Promise<string | undefined> {
  let part = await parts.next();
  while (part === '') part = await parts.next();
  return part;
}
