/** The examples, unedited and edited, against a real server. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createCommandRunner } from '../testing/command-runner.ts';
import { type RunningServer, runServer } from '../testing/running-server.ts';

const EXAMPLES = join(import.meta.dirname, '../../../../examples');
const folders = readdirSync(EXAMPLES, { withFileTypes: true }).filter((one) => one.isDirectory());
let server: RunningServer;
before(async () => {
  server = await runServer();
});
after(() => server.remove());
const { done, failed, tink } = createCommandRunner(() => server);

test('rejects every unedited example, and names the values to edit', async () => {
  for (const { name } of folders) {
    const err = await failed(`apply -f ${join(EXAMPLES, name)}`);
    assert.match(
      err,
      /hardware\.yaml:\d+:\d+: spec\.interfaces\[0\]\.dhcp\.mac: .* is the MAC of the example/,
      name,
    );
    assert.match(
      err,
      /spec\.interfaces\[0\]\.dhcp\.ip\.address: 192\.168\.56\.\d+ is an address of the example/,
    );
    assert.match(err, /problems; nothing was sent/);
  }
  const ubuntu = await failed(`apply -f ${join(EXAMPLES, 'ubuntu')}`);
  assert.match(
    ubuntu,
    /ssh_keys\[0\]: REPLACE-WITH-YOUR-PUBLIC-KEY is a placeholder; replace it with your public key/,
  );
  assert.match(
    ubuntu,
    /workflow\.yaml:\d+:\d+: spec\.hardwareMap\.image_server: 192\.168\.56\.4 is an address/,
  );
  assert.equal(await done('get all -A -o name'), '');
});

test('accepts an example whose MAC an editor has replaced everywhere', async () => {
  const text = readFileSync(join(EXAMPLES, 'debian/hardware.yaml'), 'utf8');
  const input = text
    .replaceAll('08:00:27:9e:f5:3a', '52:54:00:12:99:01')
    .replaceAll('192.168.56.', '10.9.8.');
  assert.match(input, /tinkerbell\.org\/example: 52:54:00:12:99:01/);
  assert.match(await done('apply --dry-run -f -', { input }), /^hardware\/machine-1 created/);
});

test('rejects placeholders in Secrets, which are sent in base64', async () => {
  const secret = (fields: object) =>
    JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login' }, ...fields });
  const placeholder = 'REPLACE-WITH-THE-PASSWORD';
  for (const fields of [
    { stringData: { password: placeholder } },
    { data: { password: Buffer.from(placeholder).toString('base64') } },
  ]) {
    const { code, err } = await tink('apply -f -', { input: secret(fields) });
    assert.equal(code, 1, err);
    assert.match(
      err,
      /stringData\.password: REPLACE-WITH-THE-PASSWORD is a placeholder; replace it with the password/,
    );
  }
});

test('a Secret that is not base64 is refused with its field', async () => {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login' }, data: { password: '!' } };
  const { code, err } = await tink('apply -f -', { input: JSON.stringify(secret) });
  assert.equal(code, 1, err);
  assert.match(err, /data\.password: must be base64/);
});

test('applies an edited example', async () => {
  const texts = ['hardware', 'template', 'workflow'].map((file) =>
    readFileSync(join(EXAMPLES, 'ubuntu', `${file}.yaml`), 'utf8'),
  );
  const edited = texts
    .join('---\n')
    .replaceAll('08:00:27:9e:f5:3c', '52:54:00:00:00:01')
    .replace('tinkerbell.org/example: 52:54:00:00:00:01', 'tinkerbell.org/example: 08:00:27:9e:f5:3c')
    .replace('REPLACE-WITH-YOUR-PUBLIC-KEY', 'AAAAC3Nz');
  const { code, err } = await tink('apply -f -', { input: edited });
  assert.equal(code, 0, err);
});
