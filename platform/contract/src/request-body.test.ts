import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HttpRequest } from './http.ts';
import { readBodyBytes, readBodyJson, readBodyText } from './request-body.ts';

const KIB = 1024;
const BUDGET = { bytes: 256 * KIB };
const JSON_BUDGET = { ...BUDGET, nodes: 10, depth: 5, keys: 5 };

function requestOf(pieces: readonly Uint8Array[]): HttpRequest {
  const request = new Request('http://host.example/', { method: 'POST' });
  return Object.assign(request, {
    async *chunks() {
      for (const piece of pieces) yield await Promise.resolve(piece);
    },
  });
}

/** A piece with its own memory. */
function piece(text: string): Uint8Array {
  return new Uint8Array(new TextEncoder().encode(text));
}

describe('the body of a request', () => {
  test('is text, also where a character is split', async () => {
    const bytes = piece('a€b');
    const read = await readBodyText(requestOf([bytes.slice(0, 2), bytes.slice(2)]), BUDGET);
    assert.deepEqual(read, { ok: true, value: 'a€b' });
  });

  test('has no byte order mark, and keeps that character elsewhere', async () => {
    const mark = '\ufeff';
    const read = await readBodyText(requestOf([piece(`${mark}a`), piece(`${mark}b`)]), BUDGET);
    assert.deepEqual(read, { ok: true, value: `a${mark}b` });
    const bytes = piece(`${mark}€`);
    const split = [piece('a'), bytes.slice(0, 4), bytes.slice(4)];
    assert.deepEqual(await readBodyText(requestOf(split), BUDGET), { ok: true, value: `a${mark}€` });
  });

  test('over the budget is refused while it arrives', async () => {
    const read = await readBodyText(requestOf([piece('x'), piece('x'.repeat(256 * KIB))]), BUDGET);
    assert.deepEqual(read, { ok: false, status: 413, message: 'the body is larger than 262144 bytes' });
  });

  test('that is not UTF-8 is refused', async () => {
    const read = await readBodyText(requestOf([Uint8Array.of(0xff)]), BUDGET);
    assert.deepEqual(read, { ok: false, status: 400, message: 'the body is not UTF-8 text' });
  });

  test('is JSON, parsed while it arrives', async () => {
    const text = JSON.stringify({ a: 'é'.repeat(50 * KIB), b: [1, 'c'] });
    const bytes = piece(text);
    for (const length of [1, 7000, 64 * KIB]) {
      const pieces: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += length) pieces.push(bytes.slice(at, at + length));
      assert.deepEqual(await readBodyJson(requestOf(pieces), JSON_BUDGET), {
        ok: true,
        value: JSON.parse(text) as unknown,
      });
    }
    assert.deepEqual(await readBodyJson(requestOf([piece('\n')]), JSON_BUDGET), {
      ok: true,
      value: undefined,
    });
  });

  test('that is not JSON, or over a limit, is refused without reading on', async () => {
    const refused = async (bytes: Uint8Array, status: number, message: RegExp) => {
      const read = await readBodyJson(requestOf([bytes]), JSON_BUDGET);
      assert.ok(!read.ok && read.status === status && message.test(read.message), JSON.stringify(read));
    };
    await refused(piece('{"a":1'), 400, /^the body is not JSON: /);
    await refused(piece('[1,1,1,1,1,1,1,1,1,1,1]'), 413, /^the body has more than 10 values$/);
    await refused(Uint8Array.of(34, 0xff, 34), 400, /^the body is not UTF-8 text$/);

    let read = 0;
    async function* endless() {
      for (; ; read += 1) yield await Promise.resolve(piece('['.repeat(20 * KIB)));
    }
    const request = Object.assign(requestOf([]), { chunks: endless });
    const answer = await readBodyJson(request, JSON_BUDGET);
    assert.ok(!answer.ok && answer.status === 413 && /levels of nesting/.test(answer.message));
    assert.equal(read, 0);
  });

  test('leaves no large pieces to the garbage collector', async () => {
    const pieces = [piece('x'.repeat(64 * KIB)), piece('y'.repeat(64 * KIB))];
    const text = await readBodyText(requestOf(pieces), BUDGET);
    assert.deepEqual(text, { ok: true, value: 'x'.repeat(64 * KIB) + 'y'.repeat(64 * KIB) });
    assert.deepEqual(lengths(pieces), [0, 0]);

    const others = [piece('x'.repeat(64 * KIB))];
    const bytes = await readBodyBytes(requestOf(others), BUDGET);
    assert.ok(bytes.ok);
    assert.equal(Buffer.from(bytes.value).toString(), 'x'.repeat(64 * KIB));
    assert.deepEqual(lengths(others), [0]);

    const parsed = [piece(`"${'x'.repeat(64 * KIB)}`), piece(`${'y'.repeat(64 * KIB)}"`)];
    assert.ok((await readBodyJson(requestOf(parsed), JSON_BUDGET)).ok);
    assert.deepEqual(lengths(parsed), [0, 0]);
  });

  test('does not release memory that a piece shares', async () => {
    const memory = piece('x'.repeat(64 * KIB));
    await readBodyText(requestOf([memory.subarray(1)]), BUDGET);
    assert.equal(memory.length, 64 * KIB);
  });
});

function lengths(pieces: readonly Uint8Array[]): readonly number[] {
  return pieces.map(({ length }) => length);
}
