import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterStage, duringStage, pictureOf, STAGES, START } from './picture.ts';

const end = STAGES.reduce((state, stage) => afterStage(duringStage(state, stage), stage), START);

test('the sequence ends with five machines installed and the stack on the platform machine', () => {
  assert.deepEqual(
    Object.values(end.machines),
    Array.from({ length: 5 }, () => 'installed'),
  );
  assert.equal(end.home, 'platform');
});

test('the stack leaves the seed machine, returns when the platform is lost, and leaves it again', () => {
  assert.deepEqual(
    STAGES.flatMap(({ homeAfter }) => homeAfter ?? []),
    ['seed', 'platform', 'seed', 'platform'],
  );
});

test('the stack moves while the first node waits', () => {
  const move = STAGES.findIndex(({ name }) => name === 'move');
  const before = STAGES.slice(0, move).reduce(afterStage, START);
  assert.equal(before.machines['node-1'], 'waiting');
  assert.equal(before.machines['node-2'], 'off');
});

test('the picture has a line for each machine, below what it is reached through', () => {
  assert.deepEqual(pictureOf({ ...START, machines: { ...START.machines, router: 'installed' } }), [
    '    seed  ← the stack',
    '    └─ ✓ router    VyOS (stand-in)',
    '        └─ · platform  off',
    '        └─ · node-1    off',
    '        └─ · node-2    off',
    '        └─ · node-3    off',
  ]);
  assert.match(pictureOf(end)[2] ?? '', /✓ platform {2}Talos \(stand-in\) {2}← the stack$/);
});
