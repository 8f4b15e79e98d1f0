import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hardware } from '../kinds.ts';
import { SeenHardware } from './seen-hardware.ts';

test('a new spec or new conditions are news, and another status is not', () => {
  const seen = new SeenHardware();
  const hardware = {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name: 'h', namespace: 'default' },
    spec: { agentID: 'a' },
  } as Hardware;
  assert.equal(seen.isNews(hardware), true);
  assert.equal(seen.isNews({ ...hardware, status: { state: 'busy' } }), false);
  const conditions = [{ type: 'Booting', status: 'True' }] as never;
  assert.equal(seen.isNews({ ...hardware, status: { conditions } }), true);
  assert.equal(seen.isNews({ ...hardware, status: { conditions, state: 'idle' } }), false);
  assert.equal(seen.isNews({ ...hardware, spec: { agentID: 'b' }, status: { conditions } }), true);
  assert.equal(seen.isNews({ ...hardware, spec: undefined } as never), true);
});
