/** From one real server to another. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { createCommandRunner } from '../testing/command-runner.ts';
import { hardware, template, workflow } from '../testing/manifests.ts';
import { runServer } from '../testing/running-server.ts';

const text = `version: "0.1"
name: debian
global_timeout: 1800
tasks:
  - name: install
    worker: "{{ .device_1 }}"
    actions: [{name: one, image: "a:v1"}]
`;

interface Workflow {
  readonly status?: {
    readonly state?: string;
    readonly hardwareUID?: string;
    readonly tasks?: readonly object[];
  };
}

test('backup and restore copy all objects to another server, and a second restore changes nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-backup-'));
  const file = join(folder, 'site.gz');
  const [one, other] = [await runServer(), await runServer()];
  try {
    const source = createCommandRunner(() => one);
    const target = createCommandRunner(() => other);
    const input = [hardware('m1', '08:00:27:00:00:01'), template('t', text), workflow('w', 't', 'm1')].join(
      '---\n',
    );
    await source.done('apply -f - -n lab', { input });
    await source.rendered('w', 'lab');
    await source.done('workflow cancel w -n lab');
    const uidOf = async ({ done }: typeof source) =>
      (await done('get hardware m1 -n lab -o jsonpath={.metadata.uid}')).trim();
    const patched = await one.request(
      `${one.url}/apis/tinkerbell.org/v1alpha1/namespaces/lab/workflows/w/status`,
      {
        method: 'PATCH',
        headers: { 'content-type': 'application/merge-patch+json' },
        body: JSON.stringify({ status: { hardwareUID: await uidOf(source) } }),
      },
    );
    assert.equal(patched.status, 200);
    const before = JSON.parse(await source.done('get workflow w -n lab -o json')) as Workflow;
    assert.match(await source.done(`backup ${file}`), /objects, [1-9]\d* records, SHA-256 [0-9a-f]{64}/);

    assert.match(await target.done(`restore --dry-run ${file}`), /workflows.tinkerbell.org: 1 to create/);
    assert.match(await target.done(`restore ${file}`), /workflows.tinkerbell.org: 1 created/);
    const after = JSON.parse(await target.done('get workflow w -n lab -o json')) as Workflow;
    assert.deepEqual(
      [after.status?.state, after.status?.tasks],
      [before.status?.state, before.status?.tasks],
    );
    assert.equal(after.status?.hardwareUID, await uidOf(target));
    assert.match(
      await target.done(`restore ${file}`),
      /hardware.tinkerbell.org: 0 created, 0 overwritten, 1 unch/,
    );

    assert.match(
      await target.done(`restore --dry-run ${file}`),
      /hardware.tinkerbell.org: 0 to create, 0 to overwrite, 1 unchanged, 0 different/,
    );

    await target.done('label hardware m1 -n lab a=b');
    assert.match(
      await target.failed(`restore --dry-run ${file}`),
      /1 object exists and differs\n.*--overwrite/,
    );
    assert.match(
      await target.done(`restore --dry-run --overwrite ${file}`),
      /hardware.tinkerbell.org: 0 to create, 1 to overwrite/,
    );
    assert.match(await target.failed(`restore ${file}`), /hardware\/m1 already exists.*\n.*--overwrite/);
    assert.match(
      await target.done(`restore ${file} --overwrite`),
      /hardware.tinkerbell.org: 0 created, 1 overw/,
    );

    const lines = gunzipSync(readFileSync(file)).toString('utf8');
    writeFileSync(file, gzipSync(lines.replace('08:00:27:00:00:01', '08:00:27:00:00:02')));
    assert.match(await target.failed(`restore ${file}`), /damaged or incomplete: its SHA-256 does not match/);
    writeFileSync(file, gzipSync(lines).subarray(0, 300));
    assert.match(await target.failed(`restore ${file}`), /damaged or incomplete/);
  } finally {
    await Promise.all([one.remove(), other.remove()]);
    rmSync(folder, { recursive: true });
  }
});
