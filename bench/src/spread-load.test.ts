import assert from 'node:assert/strict';
import { test } from 'node:test';

import { shareOf } from './spread-load.ts';

const machines = 4;
const requests = ['busy', 'idle'].flatMap((state) =>
  Array.from({ length: machines }, (_, machine) => `${machine} ${state}`),
);
const shares = [0, 1, 2].map((index) =>
  shareOf({ requests, machines, connections: 64, seconds: 1 }, { index, count: 3 }),
);

test('each machine is asked about on one server, in all its states', () => {
  assert.deepEqual(
    shares.map((share) => share.requests),
    [
      ['0 busy', '3 busy', '0 idle', '3 idle'],
      ['1 busy', '1 idle'],
      ['2 busy', '2 idle'],
    ],
  );
});

test('the connections are spread evenly, and none is lost', () => {
  assert.deepEqual(
    shares.map(({ connections }) => connections),
    [22, 21, 21],
  );
});
