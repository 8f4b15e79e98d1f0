import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FlagReader } from './flag-reader.ts';
import { flags } from './flags/index.ts';
import { parseFlags } from './parse-flags.ts';
import { relayConfig } from './relay-settings.ts';

function relayOf(commandLine: string[]) {
  const parsed = parseFlags(flags, commandLine, {});
  assert.ok(parsed.ok, parsed.ok ? '' : parsed.message);
  return relayConfig(new FlagReader(flags, parsed.values));
}

test('a relay takes orders of one server, with a token that can be replaced', async () => {
  const own = ['--enable-relay', '--relay-interface=eth1', '--relay-server=10.9.0.1'];
  const directory = mkdtempSync(join(tmpdir(), 'relay-settings-'));
  const token = join(directory, 'token');
  const url = '--relay-api-url=https://boot.example:7080';
  assert.equal(relayOf(own).trials, undefined);
  assert.throws(() => relayOf([...own, url]), /--relay-api-url and --relay-token-file are needed together/);
  const file = `--relay-token-file=${token}`;
  assert.throws(() => relayOf([...own, url, file]), /cannot read --relay-token-file/);
  writeFileSync(token, 'one\n');
  const trials = relayOf([...own, url, file]).trials;
  assert.deepEqual([trials?.apiUrl, await trials?.readToken()], ['https://boot.example:7080', 'one']);
  writeFileSync(token, 'two\n');
  assert.equal(await trials?.readToken(), 'two');
  for (const wrong of ['boot.example:7080', 'ftp://a', 'http://a/b', 'http://u:p@a'])
    assert.throws(() => relayOf([...own, `--relay-api-url=${wrong}`, file]), /must be http:\/\/HOST:PORT/);
  rmSync(directory, { recursive: true });
});
