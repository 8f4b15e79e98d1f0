import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fittingColumns } from './fitting-columns.ts';

const columns = [
  { id: 'name', width: 100 },
  { id: 'age', width: 50, leaves: 1 },
  { id: 'state', width: 60 },
  { id: 'mac', width: 80, leaves: 2 },
];
const at = (width: number): string =>
  fittingColumns(columns, width)
    .map(({ id }) => id)
    .join(' ');

test('columns leave in their order, until the rest fits, and some never do', () => {
  assert.equal(at(290), 'name age state mac');
  assert.equal(at(289), 'name state mac');
  assert.equal(at(239), 'name state');
  assert.equal(at(10), 'name state');
});
