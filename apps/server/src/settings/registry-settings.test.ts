import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FlagReader } from './flag-reader.ts';
import { flags } from './flags/index.ts';
import { parseFlags } from './parse-flags.ts';
import { registryConfig } from './registry-settings.ts';

function configOf(...commandLine: string[]) {
  const parsed = parseFlags(flags, commandLine, {});
  assert.ok(parsed.ok, parsed.ok ? '' : parsed.message);
  return registryConfig(new FlagReader(flags, parsed.values), '/data');
}

test('agents find each other and need a credential, unless flags say otherwise', () => {
  const rest = { directory: '/data/registry', mirrors: [] };
  assert.deepEqual(configOf(), { ...rest, anonymousPull: false, peers: { trustedProxies: [] } });
  assert.deepEqual(configOf('--image-peers=false', '--registry-anonymous-pull'), {
    ...rest,
    anonymousPull: true,
  });
  assert.equal(configOf('--trusted-proxies=10.0.0.0/8')?.peers?.trustedProxies.length, 1);
});
