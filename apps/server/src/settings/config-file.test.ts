import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { configReport } from './config-check.ts';
import { readConfigFile } from './config-file.ts';
import { flags } from './flags/index.ts';
import { givenFlags } from './given-flags.ts';

const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-config-'));
after(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'tinkerbell.yaml');

function given(text: string, commandLine: string[] = [], environment: Record<string, string> = {}) {
  writeFileSync(path, text);
  return givenFlags([`--config=${path}`, ...commandLine], environment);
}

test('reads values from a file, and the environment and the command line override it', () => {
  const text = 'http-port: 8001\ntink-server-bind-port: 8002\nsyslog-bind-port: 8003\n';
  const { reader } = given(text, ['--http-port=9001'], {
    TINKERBELL_HTTP_PORT: '9000',
    TINKERBELL_TINK_SERVER_BIND_PORT: '9002',
  });
  assert.deepEqual(
    (['http-port', 'tink-server-bind-port', 'syslog-bind-port'] as const).map((name) => reader.port(name)),
    [9001, 9002, 8003],
  );
});

test('lists may be lists; the path may come from the environment', () => {
  writeFileSync(path, 'ipxe-http-script-extra-kernel-args: ["a=1,5", b=2]\n');
  const { reader } = givenFlags([], { TINKERBELL_CONFIG: path });
  assert.deepEqual(reader.arguments('ipxe-http-script-extra-kernel-args'), ['a=1,5', 'b=2']);
});

const wrong: readonly [string, string][] = [
  ['http-port: 1\nhttp-prot: 2\n', 'c.yaml:2:1: unknown setting http-prot; did you mean http-port?'],
  ['config: x\n', 'c.yaml:1:1: config is not allowed in a configuration file'],
  ['http-port:\n  - 1\n', 'c.yaml:2:3: http-port must be one value'],
  ['http-port: {a: 1}\n', 'c.yaml:1:12: http-port must be one value'],
  ['- http-port\n', 'c.yaml:1:1: must be one map of settings, such as "http-port: 7080"'],
];

test('names an invalid entry with its line', () => {
  for (const [text, expected] of wrong) {
    const read = readConfigFile(flags, 'c.yaml', text);
    assert.equal(read.ok ? '' : read.message, expected);
  }
  const broken = readConfigFile(flags, 'c.yaml', 'a: [1\n');
  assert.match(broken.ok ? '' : broken.message, /^c\.yaml:\d+:\d+: /);
  assert.equal(readConfigFile(flags, 'c.yaml', '# nothing\n').ok, true);
});

test('names an invalid value with its line, and a missing file with its path', () => {
  const { reader } = given('\nhttp-port: many\n');
  assert.throws(() => reader.port('http-port'), {
    message: `${path}:2:1: http-port must be a whole number from 0 to 65535, not "many"`,
  });
  assert.throws(() => givenFlags(['--config=/nowhere/x.yaml'], {}), /cannot read \/nowhere\/x.yaml/);
});

test('the report shows the source of each value, and no secrets', () => {
  const text = 'postgres-url: postgres://tink:hunter2@db/tink\nsecrets-key: hunter3\n';
  const report = configReport(given(text, ['--http-port=1'], { TINKERBELL_DATA_DIR: '/d' }));
  assert.match(report, /postgres-url +postgres:\/\/tink:\*\*\*@db\/tink +\(.*tinkerbell.yaml:1:1\)/);
  assert.match(report, /http-port +1 +\(command line\)/);
  assert.match(report, /data-dir +\/d +\(TINKERBELL_DATA_DIR\)/);
  assert.doesNotMatch(report, /hunter/);
});
