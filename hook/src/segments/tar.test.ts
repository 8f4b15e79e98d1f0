import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTar } from '@tinkerbell/tar';
import fc from 'fast-check';

import { encodeTar, type SegmentEntry } from './tar.ts';

const TIME = 1_767_225_600;

async function entriesIn(archive: Uint8Array): Promise<readonly (SegmentEntry & { seconds: number })[]> {
  const entries: (SegmentEntry & { seconds: number })[] = [];
  async function* whole(): AsyncGenerator<Uint8Array> {
    yield archive;
  }
  for await (const { type, name, mode, linkName, modifiedSeconds, body } of readTar(whole())) {
    const chunks: Uint8Array[] = [];
    for await (const { bytes } of body) chunks.push(Buffer.from(bytes));
    const rest = { path: name, seconds: modifiedSeconds };
    if (type === 'file') entries.push({ kind: 'file', mode, content: Buffer.concat(chunks), ...rest });
    else entries.push({ kind: 'link', target: linkName, ...rest });
  }
  return entries;
}

const name = fc.stringMatching(/^[a-z][a-z0-9.+_-]{0,30}(\/[a-z0-9.+_-]{1,30}){0,2}$/);
const entry: fc.Arbitrary<SegmentEntry> = fc.oneof(
  fc.record({
    kind: fc.constant('file' as const),
    path: name,
    mode: fc.constantFrom(0o644, 0o755),
    content: fc.uint8Array({ maxLength: 1500 }).map((bytes) => Buffer.from(bytes)),
  }),
  fc.record({ kind: fc.constant('link' as const), path: name, target: name }),
);

test('what is written is read back, sorted, with one time', async () => {
  const lists = fc.uniqueArray(entry, { selector: ({ path }) => path, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(lists, async (entries) => {
      const expected = [...entries].sort((a, b) => (a.path < b.path ? -1 : 1));
      const read = await entriesIn(encodeTar(entries, TIME));
      assert.deepEqual(
        read,
        expected.map((each) => ({ ...each, seconds: TIME })),
      );
      assert.deepEqual(encodeTar([...entries].reverse(), TIME), encodeTar(entries, TIME));
    }),
    { seed: 19, numRuns: 200 },
  );
});

test('a name that does not fit is refused', () => {
  for (const path of ['', 'a b', 'ä', 'x'.repeat(101)])
    assert.throws(() => encodeTar([{ kind: 'link', path, target: 'a' }], TIME), /must have 1 to 100/);
});
