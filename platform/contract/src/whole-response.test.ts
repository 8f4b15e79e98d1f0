import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StreamResponse, WholeResponse } from './index.ts';

test('readers see an ordinary Response', async () => {
  const response = new WholeResponse('grüß', { status: 404, headers: { 'X-A': 'b' } });
  assert.deepEqual([response.status, response.ok, response.bodyUsed], [404, false, false]);
  assert.deepEqual([...response.headers].sort(), [
    ['content-length', '6'],
    ['content-type', 'text/plain;charset=UTF-8'],
    ['x-a', 'b'],
  ]);
  assert.equal(await response.clone().text(), 'grüß');
  assert.equal(await response.text(), 'grüß');
  assert.equal(response.bodyUsed, true);
});

test('has no body when it is empty, and returns bytes unchanged', async () => {
  assert.equal(new WholeResponse('').body, null);
  assert.deepEqual(await new WholeResponse(Uint8Array.of(1, 2)).bytes(), Uint8Array.of(1, 2));
  assert.deepEqual(await new WholeResponse('{"a":1}').json(), { a: 1 });
});

test('a stream and an empty response are ordinary Responses too', async () => {
  const headers = { 'X-A': 'b' };
  const streamed = new StreamResponse(ReadableStream.from([Buffer.from('a'), Buffer.from('b')]), { headers });
  assert.deepEqual([streamed.status, [...streamed.headers]], [200, [['x-a', 'b']]]);
  assert.equal(await streamed.text(), 'ab');
  assert.equal(new StreamResponse(null, { status: 304 }).body, null);
});
