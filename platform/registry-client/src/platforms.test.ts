/** Indexes with images for several platforms. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linuxPlatform, mediaTypes } from '@tinkerbell/oci';
import {
  clientFor,
  digestOf,
  pullLayer,
  scriptedRegistry,
  serveFiles,
  smallImage,
} from './testing/scripted-registry.ts';

const HANGS = { timeout: 60_000 };
const LAYER = Buffer.from('layer');

/** An index as `manifests/latest`, whose entries have these platforms and all refer to the image. */
function indexed(platforms: readonly (readonly [os: string, architecture: string])[]): Map<string, Buffer> {
  const { files } = smallImage(LAYER);
  const manifest = files.get('manifests/latest')!;
  const manifests = platforms.map(([os, architecture]) => ({
    mediaType: mediaTypes.imageManifest,
    digest: architecture === 'nested' ? digestOf(Buffer.from('nested')) : digestOf(manifest),
    size: manifest.length,
    platform: {
      os,
      architecture: architecture === 'nested' ? linuxPlatform(process.arch).architecture : architecture,
    },
  }));
  files.set(
    'manifests/latest',
    Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: mediaTypes.imageIndex, manifests })),
  );
  return files;
}

test('the image for this platform is chosen', HANGS, async (context) => {
  const own = linuxPlatform(process.arch).architecture;
  const { host } = await scriptedRegistry(
    context,
    serveFiles(
      indexed([
        ['unknown', 'unknown'],
        ['linux', 's390x'],
        ['linux', own],
      ]),
    ),
  );
  assert.ok(LAYER.equals(await pullLayer(clientFor({ plainHttp: [host] }), host)));
});

test('an index without this platform lists what it has', HANGS, async (context) => {
  const { host } = await scriptedRegistry(
    context,
    serveFiles(
      indexed([
        ['linux', 's390x'],
        ['windows', 'amd64'],
      ]),
    ),
  );
  await assert.rejects(
    pullLayer(clientFor({ plainHttp: [host] }), host),
    /a:latest has no image for linux\/\w+; it has linux\/s390x, windows\/amd64/,
  );
});

test('an entry whose manifest has another digest is not used', HANGS, async (context) => {
  const files = indexed([['linux', 'nested']]);
  files.set(`manifests/${digestOf(Buffer.from('nested'))}`, files.get('manifests/latest')!);
  const { host } = await scriptedRegistry(context, serveFiles(files));
  await assert.rejects(pullLayer(clientFor({ plainHttp: [host] }), host), /its digest is/);
});
