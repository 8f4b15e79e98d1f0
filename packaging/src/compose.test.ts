import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { flags, VERSION } from '@tinkerbell/app-server';
import { parseYaml, toJson } from '@tinkerbell/yaml';
import { isRecord } from '@tinkerbell/yaml/json';
import { CHECKOUT } from './build-place.ts';
import { composeWithVersion } from './release/versions.ts';

const text = readFileSync(join(CHECKOUT, 'deploy/compose/compose.yaml'), 'utf8');

function service(): Readonly<Record<string, unknown>> {
  const parsed = parseYaml(text);
  assert.ok(parsed.ok, JSON.stringify(parsed));
  const [document] = parsed.documents;
  assert.ok(document !== undefined);
  const file: unknown = toJson(document);
  const services = isRecord(file) && isRecord(file['services']) ? file['services'] : {};
  return isRecord(services['tinkerbell']) ? services['tinkerbell'] : assert.fail('no service');
}

test('the compose file runs the image of this version, and sets flags that exist', () => {
  const { image, environment, volumes } = service();
  assert.equal(image, `tinkerbell:${VERSION}`);
  assert.deepEqual(volumes, ['tinkerbell:/var/lib/tinkerbell']);
  const known = new Set(flags.map(({ name }) => `TINKERBELL_${name.toUpperCase().replaceAll('-', '_')}`));
  const set = Object.keys(isRecord(environment) ? environment : {});
  assert.ok(set.length > 0);
  assert.deepEqual(
    set.filter((name) => !known.has(name)),
    [],
  );
});

test('a release sets its image', () => {
  const changed = composeWithVersion(text, '99.0.0');
  assert.ok(changed.includes('image: tinkerbell:99.0.0\n'));
  assert.ok(changed.includes('tinkerbell_99.0.0_oci.tar'));
  assert.ok(!changed.includes(VERSION));
});
