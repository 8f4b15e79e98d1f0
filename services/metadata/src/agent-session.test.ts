/** Tests metadata requests with the session of a machine's agent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentRefusal } from '@tinkerbell/agent-identity';
import type { SessionVerifier } from '@tinkerbell/platform-contract';
import { mac } from '@tinkerbell/wire';
import { ADDRESSES, MACS, startRack } from './testing/rack.ts';

/** Sessions are named after machines. */
const agentSessions: SessionVerifier = {
  async verify(session) {
    if (session === 'away') throw new Error('away');
    const name = /^of-(machine\d)$/.exec(session)?.[1];
    return name === undefined
      ? { ok: false, refusal: agentRefusal('ended') }
      : { ok: true, mac: mac(MACS[name === 'machine0' ? 0 : 1]), hardware: { namespace: 'default', name } };
  },
};

const PATHS = ['/latest/user-data', '/nocloud/user-data', '/metadata', '/ignition/config', '/phone-home'];

async function statuses(mode: 'off' | 'optional' | 'required', session?: string, peer?: string) {
  const config = { agentSessions: mode, instanceEndpoint: true };
  const { ask } = startRack({ agentSessions, config });
  const found = new Set<number>();
  for (const path of PATHS) {
    const { status, body } = await ask(path, {
      method: path === '/phone-home' ? 'POST' : 'GET',
      ...(session === undefined ? {} : { headers: { 'x-tinkerbell-session': session } }),
      ...(peer === undefined ? {} : { peer }),
    });
    found.add(status);
    if (status !== 200) assert.doesNotMatch(body, /machine0/);
  }
  return [...found];
}

test('by mode and session', async () => {
  const none = undefined;
  assert.deepEqual(await statuses('off', 'of-machine1'), [200]);
  assert.deepEqual(await statuses('optional', none), [200]);
  assert.deepEqual(await statuses('required', none), [401]);
  for (const mode of ['optional', 'required'] as const) {
    assert.deepEqual(await statuses(mode, 'of-machine0'), [200]);
    assert.deepEqual(await statuses(mode, 'of-machine1'), [403]);
    assert.deepEqual(await statuses(mode, 'garbage'), [401]);
    assert.deepEqual(await statuses(mode, ''), [401]);
    assert.deepEqual(await statuses(mode, 'away'), [503]);
  }
});

test('the tree by instance id is for the session of that instance', async () => {
  const config = { agentSessions: 'required', instanceEndpoint: true } as const;
  const { ask, journal } = startRack({ agentSessions, config });
  const statusWith = async (session: string) =>
    (
      await ask('/tootles/instanceID/i-1/latest/user-data', {
        headers: { 'x-tinkerbell-session': session },
        peer: ADDRESSES[0],
      })
    ).status;
  assert.equal(await statusWith('of-machine1'), 200);
  assert.equal(await statusWith('of-machine0'), 403);
  assert.match(journal.at(-1)?.message ?? '', /session-foreign/);
});

test('without sessions every session is invalid, and none is needed', async () => {
  const { ask } = startRack({});
  assert.equal((await ask('/latest/user-data')).status, 200);
  const headers = { 'x-tinkerbell-session': 'of-machine0' };
  assert.equal((await ask('/latest/user-data', { headers })).status, 401);
});
