/** Sources of ISO images that lead back to the server, in every spelling of its address. */
import assert from 'node:assert/strict';
import type { Attack } from './attack.ts';
import { SECRET } from './start-target.ts';

const HOSTS = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '127.255.255.254',
  'localhost',
  'LOCALHOST.',
  '0.0.0.0',
  '0',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
];
const PATHS = [
  '/api/v1/secrets',
  '/audit',
  '/metrics',
  '/images/a.iso',
  '/latest/user-data',
  '/openid/v1/jwks',
];

export const selfFetches: Attack = {
  name: 'self-fetches',
  sends: 'request',
  async once(target, choice) {
    const { port } = new URL(target.url);
    const sourceISO = `http://${choice.once(5) ? 'user:password@' : ''}${choice.of(HOSTS)}:${port}${choice.of(PATHS)}`;
    const number = choice.below(256 ** 3);
    const mac = `52:54:01:${number.toString(16).padStart(6, '0').match(/../g)?.join(':')}`;
    const name = `self-${number}`;
    const made = await target.send('editor', '/apis/tinkerbell.org/v1alpha1/namespaces/lab/hardware', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        apiVersion: 'tinkerbell.org/v1alpha1',
        kind: 'Hardware',
        metadata: { name },
        spec: { interfaces: [{ dhcp: { mac }, netboot: { allowPXE: true }, isoboot: { sourceISO } }] },
      }),
    });
    await made.body?.cancel();
    if (made.status !== 201) return;
    // Answers of 5xx mean that the source is refused. They are not a fault of the server.
    const response = await fetch(`${target.url}/iso/${mac.replaceAll(':', '-')}/hook.iso`, {
      signal: AbortSignal.timeout(20_000),
    });
    const text = await response.text();
    const hardware = `/apis/tinkerbell.org/v1alpha1/namespaces/lab/hardware/${name}`;
    await (await target.send('editor', hardware, { method: 'DELETE' })).body?.cancel();
    assert.ok(response.status >= 400, `${response.status} for an image from ${sourceISO}`);
    assert.ok(!text.includes(Buffer.from(SECRET).toString('base64')), `the secret came from ${sourceISO}`);
  },
};
