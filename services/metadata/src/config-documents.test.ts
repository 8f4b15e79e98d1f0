import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONFIG_KINDS, contentTypeOf } from './config-documents.ts';
import { ADDRESSES, MACS, machine, startRack } from './testing/rack.ts';

const OWN = '#cloud-config\nhostname: machine0\n';
const OTHER = '#cloud-config\nhostname: machine1\n';
const UNKNOWN = '192.0.2.1';

for (const kind of CONFIG_KINDS) {
  test(`${kind}: one URL for all machines, and each gets its own document`, async () => {
    const { ask, journal } = startRack();
    const { status, headers, body } = await ask(`/${kind}/config`);
    assert.deepEqual([status, body], [200, OWN]);
    assert.equal(headers.get('content-type'), contentTypeOf[kind]);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal((await ask(`/${kind}/config`, { peer: ADDRESSES[1] })).body, OTHER);
    assert.deepEqual(
      journal.map(({ event, machine: mac, details }) => [event, mac, details?.['kind']]),
      MACS.map((mac) => ['metadata-served', mac, kind]),
    );
  });

  test(`${kind}: nobody else reads it`, async () => {
    const { ask } = startRack();
    for (const peer of [ADDRESSES[1], UNKNOWN]) {
      const { status, body } = await ask(`/${kind}/${MACS[0]}/config`, { peer });
      assert.deepEqual([status, body], [404, ''], peer);
    }
    assert.equal((await ask(`/${kind}/config`, { peer: UNKNOWN })).status, 404);
    const headers = { 'x-forwarded-for': ADDRESSES[0] };
    assert.equal((await ask(`/${kind}/config`, { peer: UNKNOWN, headers })).status, 404);
    for (const peer of [ADDRESSES[0], '127.0.0.1'])
      assert.equal((await ask(`/${kind}/${MACS[0]}/config`, { peer })).body, OWN, peer);
  });

  test(`${kind}: no other path, no other method, and nothing without user-data`, async () => {
    const { ask } = startRack();
    for (const path of ['', '/', '/other', `/${MACS[0]}`, `/${MACS[0]}/config/x`, '/x/config'])
      assert.equal((await ask(`/${kind}${path}`)).status, 404, path);
    assert.equal((await ask(`/${kind}/config`, { method: 'PUT' })).status, 405);
    const without = startRack({ hardware: [machine(0, { userData: '' })] });
    assert.equal((await without.ask(`/${kind}/config`)).status, 404);
    const strict = startRack({ config: { agentSessions: 'required' } });
    assert.equal((await strict.ask(`/${kind}/config`)).status, 401);
  });
}
