import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPlaceIn, checkPlaceText } from './check-place.ts';

test('a place is this host, the server, the agent of a machine, or a relay', () => {
  assert.equal(checkPlaceText(checkPlaceIn('here')), 'this host');
  assert.equal(checkPlaceText(checkPlaceIn('server')), 'the server');
  assert.equal(checkPlaceText(checkPlaceIn('agent:node-2')), 'the agent of node-2');
  assert.equal(checkPlaceText(checkPlaceIn('relay:rack-7')), 'the relay rack-7');
});

test('the message about another place names the choices', () => {
  for (const text of ['', 'agent:', 'relay:', 'node-2'])
    assert.throws(() => checkPlaceIn(text), /use here, server, agent:NAME .* or relay:NAME/);
});
