import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { DEFAULTS } from './settings.ts';

test('lists the flags with their defaults', () => {
  const { status, stdout } = spawnSync(process.execPath, [join(import.meta.dirname, 'main.ts'), '--help'], {
    encoding: 'utf8',
  });
  assert.equal(status, 0);
  for (const flag of [...Object.keys(DEFAULTS), 'id', 'grpc-server'])
    assert.match(stdout, new RegExp(`^  --${flag} +\\S`, 'm'));
  assert.match(stdout, /--backoff-max-interval .*\(default: 5s\)/);
  assert.ok(stdout.split('\n').every((line) => line.length <= 120));
});
