import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WholeResponse } from '@tinkerbell/platform-contract';
import type { Resource } from '@tinkerbell/resources';
import { listAnswer, type ListShape } from './list-answer.ts';
import type { Piece } from './list-page.ts';

const shape: ListShape = {
  head: { apiVersion: 'v1', kind: 'ThingList' },
  items: 'items',
  show: (resource) => resource,
  metadata: (revision, next) => ({ resourceVersion: String(revision), ...(next && { continue: next.name }) }),
};

function things(count: number, characters: number): readonly Resource[] {
  return Array.from({ length: count }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { name: `t${index}`, namespace: 'default', annotations: { filling: 'é'.repeat(characters) } },
  })) as readonly Resource[];
}

function source(pieces: readonly (Piece | Error)[]) {
  const taken: number[] = [];
  let isReturned = false;
  async function* generate(): AsyncGenerator<Piece, void, undefined> {
    try {
      for (const [index, piece] of pieces.entries()) {
        taken.push(index);
        if (piece instanceof Error) throw piece;
        yield piece;
      }
    } finally {
      isReturned = true;
    }
  }
  const sizes: number[] = [];
  return {
    taken,
    sizes,
    isReturned: () => isReturned,
    pieces: generate(),
    sized: (bytes: number) => void sizes.push(bytes),
  };
}

const next = { namespace: 'default', name: 'n' };

test('a short list is one answer, a long one a stream, with the same content', async () => {
  for (const characters of [10, 500_000]) {
    const all = things(8, characters);
    const empty = { items: [], revision: 7 };
    const pieces = [
      empty,
      { items: all.slice(0, 5), revision: 7 },
      empty,
      { items: all.slice(5), revision: 7, next },
    ];
    const given = source(pieces);
    const answer = await listAnswer(given, shape);
    assert.equal(answer instanceof WholeResponse, characters === 10);
    assert.equal(answer.headers.get('content-type'), 'application/json');
    assert.deepEqual(await answer.json(), {
      apiVersion: 'v1',
      kind: 'ThingList',
      metadata: { resourceVersion: '7', continue: 'n' },
      items: all,
    });
    assert.equal(given.sizes.length, 4);
  }
});

test('an empty list is a list', async () => {
  const answer = await listAnswer(source([{ items: [], revision: 3 }]), shape);
  assert.deepEqual(((await answer.json()) as { items: unknown }).items, []);
});

test('reads a piece when the client has taken the previous ones, and no more after it disconnects', async () => {
  const pieces = Array.from({ length: 50 }, () => ({ items: things(1, 500_000), revision: 1 }));
  const given = source(pieces);
  const answer = await listAnswer(given, shape);
  const before = given.taken.length;
  assert.ok(before <= 5, `${before} pieces were read at once`);
  const reader = answer.body!.getReader();
  await reader.read();
  assert.equal(given.taken.length, before);
  await reader.read();
  assert.equal(given.taken.length, before + 1);
  await reader.cancel();
  assert.ok(given.isReturned());
});

test('a store that fails at once is an error, and one that fails later aborts the answer', async () => {
  await assert.rejects(listAnswer(source([new Error('no connection')]), shape), /no connection/);
  const pieces = Array.from({ length: 5 }, () => ({ items: things(1, 900_000), revision: 1 }));
  const answer = await listAnswer(source([...pieces, new Error('no connection')]), shape);
  await assert.rejects(answer.json(), /no connection/);
});
