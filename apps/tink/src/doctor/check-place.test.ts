import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPlaceIn, checkPlaceText } from './check-place.ts';

test('a place is this host, the server, or the agent of a machine', () => {
  assert.equal(checkPlaceText(checkPlaceIn('here')), 'this host');
  assert.equal(checkPlaceText(checkPlaceIn('server')), 'the server');
  assert.equal(checkPlaceText(checkPlaceIn('agent:node-2')), 'the agent of node-2');
});

test('a relay cannot be asked, and the way out is named', () => {
  assert.throws(() => checkPlaceIn('relay:r1'), /a relay has no connection .* On its host, run: sudo tink/);
  for (const text of ['', 'agent:', 'node-2'])
    assert.throws(() => checkPlaceIn(text), /use here, server, or agent:NAME/);
});
