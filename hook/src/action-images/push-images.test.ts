/** Small images on the way to Debian's registry. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { localRegistry, missingForContainers } from '@tinkerbell/container-runtime/testing';

import { architectureOf } from '../architecture.ts';
import { actionImage } from './action-image.ts';
import { ACTION_RECIPES } from './action-recipes.ts';
import { imageLayer } from './image-layer.ts';
import { pushImages } from './push-images.ts';

const missing = missingForContainers();
const base = mkdtempSync(join(tmpdir(), 'push-images-'));
after(() => rmSync(base, { recursive: true }));

async function smallImages() {
  const layer = await imageLayer({
    createdBy: 'test',
    name: 'test',
    inputs: [],
    cacheDirectory: base,
    entries: async () => [{ kind: 'file', path: 'a', mode: 0o644, content: Buffer.from('content') }],
  });
  const variants = (['x86_64', 'aarch64'] as const).map((name) => ({
    architecture: architectureOf(name),
    layers: [layer],
  }));
  return ACTION_RECIPES.slice(0, 2).map((recipe) => actionImage(recipe, variants));
}

test(
  'a registry with a login gets an index for two processors, and layers once',
  { timeout: 60_000, ...(missing === undefined ? {} : { skip: missing }) },
  async (context) => {
    const login = { username: 'builder', password: 'p:a ss' };
    const registry = await localRegistry({ after: (task) => context.after(task) }, login);
    const lines: string[] = [];
    const request = {
      target: `${registry.host}/lab/actions`,
      tag: 'v1',
      settings: {
        credentials: [{ registry: registry.host, ...login }],
        mirrors: {},
        plainHttp: [registry.host],
      },
      onProgress: (line: string) => void lines.push(line),
    };
    const images = await smallImages();
    const sent = await pushImages(images, request);
    // Two configurations each, and the layer that both have.
    assert.deepEqual(
      sent.map(({ name, sentBlobs }) => [name.replace(registry.host, ''), sentBlobs]),
      [
        ['/lab/actions/archive2disk:v1', 3],
        ['/lab/actions/burnin:v1', 2],
      ],
    );
    assert.match(lines[1] ?? '', /burnin:v1: 2 of 4 blobs sent$/);
    for (const { sentBlobs } of await pushImages(images, request)) assert.equal(sentBlobs, 0);
    for (const architecture of ['amd64', 'arm64']) {
      const credentials = `${login.username}:${login.password}`;
      const platform = ['--override-os', 'linux', '--override-arch', architecture];
      const options = ['inspect', '--tls-verify=false', '--creds', credentials, '--config'];
      const image = `docker://${registry.host}/lab/actions/burnin:v1`;
      const text = execFileSync('skopeo', [...platform, ...options, image], { encoding: 'utf8' });
      assert.equal((JSON.parse(text) as { architecture: string }).architecture, architecture);
    }
    const denied = { ...request, settings: { ...request.settings, credentials: [] } };
    await assert.rejects(pushImages(images, denied), { code: 'permission-denied', message: /status 401/ });
  },
);
