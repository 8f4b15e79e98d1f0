/** Commands for images against a real server. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createCommandRunner, type CommandRunner } from '../testing/command-runner.ts';
import { runServer, type RunningServer } from '../testing/running-server.ts';

const sha256 = (content: string): string => createHash('sha256').update(content).digest('hex');
const type = (name: string): string => `application/vnd.oci.image.${name}+json`;

interface Layout {
  readonly folder: string;
  readonly digest: string;
}

describe('tink image', () => {
  let server: RunningServer;
  let runner: CommandRunner;
  const folder = mkdtempSync(join(tmpdir(), 'tink-image-'));

  before(async () => {
    server = await runServer();
    runner = createCommandRunner(() => server);
  });
  after(async () => {
    await server.remove();
    rmSync(folder, { recursive: true });
  });

  /** A layout whose index names several tags. */
  function layout(name: string, tags: readonly string[], layer = 'layer'): Layout {
    const path = join(folder, name);
    mkdirSync(join(path, 'blobs/sha256'), { recursive: true });
    const blob = (mediaType: string, content: string, more: object = {}) => {
      writeFileSync(join(path, 'blobs/sha256', sha256(content)), content);
      return { mediaType, digest: `sha256:${sha256(content)}`, size: content.length, ...more };
    };
    const manifest = JSON.stringify({
      schemaVersion: 2,
      mediaType: type('manifest.v1'),
      config: blob(type('config.v1'), '{"architecture":"amd64"}'),
      layers: [blob('application/vnd.oci.image.layer.v1.tar', layer)],
    });
    const manifests = tags.map((tag) =>
      blob(type('manifest.v1'), manifest, { annotations: { 'org.opencontainers.image.ref.name': tag } }),
    );
    writeFileSync(join(path, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
    writeFileSync(join(path, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests }));
    return { folder: path, digest: `sha256:${sha256(manifest)}` };
  }

  test('a layout is pushed, listed, pulled as an archive, and pushed from there', async () => {
    const { folder: source, digest } = layout('one', ['v1']);
    const target = join(folder, 'one.tar');
    assert.match(
      await runner.done(`image push ${source} lab/tool:v1`),
      new RegExp(`^lab/tool:v1 pushed: ${digest}, 2 of 2`),
    );
    assert.match(await runner.done(`image push ${source} lab/tool:v2`), /0 of 2 blobs sent/);
    const listed = JSON.parse(await runner.done('image list --json')) as { tag: string; digest: string }[];
    assert.deepEqual(
      listed.map((one) => `${one.tag} ${one.digest}`),
      [`v1 ${digest}`, `v2 ${digest}`],
    );
    assert.match(
      await runner.done('image list lab/tool'),
      /REPOSITORY +TAG +SIZE +DIGEST +DISK\nlab\/tool +v1/,
    );
    assert.match(await runner.done(`image pull lab/tool:v1 ${target}`), /2 blobs, 29 bytes/);
    assert.match(execFileSync('tar', ['-tf', target], { encoding: 'utf8' }), /oci-layout[^]*index\.json/);
    const again = JSON.parse(await runner.done(`image push ${target} lab/copy --json`)) as { digest: string };
    assert.equal(again.digest, digest);
  });

  test('an index is pushed and pulled with its images', async () => {
    const { folder: source, digest } = layout('many', ['v1'], 'another layer');
    const index = JSON.stringify({
      schemaVersion: 2,
      mediaType: type('index.v1'),
      manifests: [{ mediaType: type('manifest.v1'), digest, size: 1 }],
    });
    writeFileSync(join(source, 'blobs/sha256', sha256(index)), index);
    const entry = { mediaType: type('index.v1'), digest: `sha256:${sha256(index)}`, size: index.length };
    writeFileSync(join(source, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [entry] }));
    await runner.done(`image push ${source} lab/many:v1`);
    const target = join(folder, 'many.tar');
    await runner.done(`image pull lab/many:v1 ${target}`);
    assert.match(
      execFileSync('tar', ['-tf', target], { encoding: 'utf8' }),
      new RegExp(digest.replace('sha256:', '')),
    );
    assert.match(await runner.done('image list lab/many'), /\(index\)/);
  });

  test('an archive of older versions of docker save is pushed', async () => {
    const source = join(folder, 'docker');
    mkdirSync(join(source, 'abc'), { recursive: true });
    writeFileSync(join(source, 'abc/layer.tar'), 'docker layer');
    writeFileSync(join(source, 'config.json'), '{}');
    const images = [
      { Config: 'config.json', RepoTags: ['tool:v1', 'tool:latest'], Layers: ['abc/layer.tar'] },
    ];
    writeFileSync(join(source, 'manifest.json'), JSON.stringify(images));
    const archive = join(folder, 'docker.tar');
    execFileSync('tar', ['-cf', archive, '-C', source, '.']);
    assert.match(await runner.done(`image push ${archive} lab/docker --image v1`), /2 of 2 blobs sent/);
  });

  test('failures name what is wrong and the way out', async () => {
    const { folder: several } = layout('several', ['v1', 'v2']);
    assert.match(await runner.failed(`image push ${several} lab/x`), /has 2 images\n.*--image: v1, v2/);
    assert.match(await runner.failed(`image push ${several} lab/x --image v3`), /has no image "v3"/);
    assert.match(
      (await runner.tink(`image push ${several} Lab/X --image v1`)).err,
      /image: "Lab\/X" has an invalid repository/,
    );
    assert.match(
      await runner.failed(`image push ${folder}/absent lab/x`),
      /cannot read .*absent: file not found\n/,
    );
    writeFileSync(join(folder, 'disk.img'), 'x');
    assert.match(
      await runner.failed(`image push ${folder}/disk.img debian:12`),
      /is not a tar archive\n.*; "tink image add" stores a disk image\n/,
    );
    assert.match(await runner.failed(`image push ${folder} lab/x`), /neither index\.json nor manifest\.json/);
    rmSync(join(several, 'blobs/sha256', sha256('layer')));
    assert.match(
      await runner.failed(`image push ${several} lab/x --image v1`),
      /is incomplete: it has no blobs/,
    );
    assert.match(
      await runner.failed(`image pull lab/absent ${folder}/x.tar`),
      /lab\/absent does not have the manifest latest/,
    );
    assert.equal(existsSync(`${folder}/x.tar`), false);
    assert.match((await runner.tink('image delete lab/tool')).err, /neither a tag nor a digest/);
    assert.match(await runner.failed('image delete lab/absent:v1'), /does not have the manifest v1/);
  });

  test('an image is deleted, and garbage collection reports what it kept', async () => {
    const { folder: source } = layout('deleted', ['v1'], 'to be deleted');
    await runner.done(`image push ${source} lab/deleted:v1`);
    await runner.done('image delete lab/deleted:v1');
    assert.equal((await runner.tink('image list lab/deleted')).err, 'no images in lab/deleted\n');
    assert.match(await runner.done('image gc'), /removed blobs +0/);
    const report = JSON.parse(await runner.done('image gc --json')) as { keptBlobs: number };
    assert.ok(report.keptBlobs > 0);
  });
});
