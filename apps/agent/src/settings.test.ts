import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readSettings, type SettingsSources } from './settings.ts';

const NOTHING: SettingsSources = {
  arguments: [],
  environment: {},
  kernelCommandLine: '',
  firstMac: undefined,
};
const CMDLINE =
  'console=ttyS0 grpc_authority=10.0.0.1:42113 worker_id=02:00:00:00:00:01 tinkerbell_tls=true tinkerbell_insecure_tls=false quiet';

function settingsOf(sources: Partial<SettingsSources>) {
  const result = readSettings({ ...NOTHING, ...sources });
  assert.ok(result.ok, result.ok ? '' : result.error);
  return result.settings;
}

test('reads the settings that the boot script put on the kernel command line', () => {
  const settings = settingsOf({ kernelCommandLine: CMDLINE });
  assert.equal(settings.id, '02:00:00:00:00:01');
  assert.equal(settings.grpcServer, '10.0.0.1:42113');
  assert.equal(settings.grpcTls, true);
  assert.equal(settings.grpcInsecureTls, false);
  assert.equal(settings.backoffMaxMs, 5000);
});

test('reads a boot token from the kernel command line', () => {
  const kernelCommandLine = `${CMDLINE} tinkerbell_boot_token=AbC-_9`;
  assert.equal(settingsOf({ kernelCommandLine }).bootToken, 'AbC-_9');
  assert.equal(settingsOf({ kernelCommandLine: `${CMDLINE} tinkerbell_boot_token=` }).bootToken, '');
});

test('environment overrides the kernel, flags override the environment, legacy variables override all', () => {
  const environment = { AGENT_ID: 'env', AGENT_GRPC_SERVER: 'env:1' };
  assert.equal(settingsOf({ kernelCommandLine: CMDLINE, environment }).id, 'env');
  const flags = ['--id', 'flag', '-grpc-server=flag:2'];
  assert.equal(settingsOf({ arguments: flags, environment }).id, 'flag');
  assert.equal(settingsOf({ arguments: flags, environment }).grpcServer, 'flag:2');
  const legacy = { ...environment, WORKER_ID: 'legacy', TINKERBELL_GRPC_AUTHORITY: 'old:3' };
  assert.equal(settingsOf({ arguments: flags, environment: legacy }).id, 'legacy');
  assert.equal(settingsOf({ arguments: flags, environment: legacy }).grpcServer, 'old:3');
});

test('accepts booleans without a value and upstream flags without effect', () => {
  const settings = settingsOf({
    arguments: [
      '--id=a',
      '--grpc-server=h:1',
      '--grpc-tls',
      '--runtime',
      'docker',
      '--tinkerbell-insecure-tls=true',
    ],
  });
  assert.equal(settings.grpcTls, true);
  assert.equal(settings.grpcInsecureTls, true);
});

test('uses the first MAC if no id is set', () => {
  assert.equal(
    settingsOf({ arguments: ['--grpc-server=h:1'], firstMac: '02:00:00:00:00:09' }).id,
    '02:00:00:00:00:09',
  );
});

test('names missing or invalid settings and the fix', () => {
  const errorOf = (args: readonly string[]): string => {
    const result = readSettings({ ...NOTHING, arguments: args });
    return result.ok ? '' : result.error;
  };
  assert.match(errorOf([]), /the agent id is missing; set --id, AGENT_ID or the kernel argument worker_id/);
  assert.match(errorOf(['--id=a']), /the server address .*--grpc-server.*grpc_authority/);
  assert.match(errorOf(['--id=a', '--grpc-server=host']), /address 'host' is invalid/);
  assert.match(errorOf(['--id=a', '--grpc-server=h:1', '--grpc-tls=perhaps']), /grpc-tls=perhaps/);
  assert.match(
    errorOf(['--id=a', '--grpc-server=h:1', '--backoff-max-interval=soon']),
    /soon must be a duration/,
  );
  assert.match(errorOf(['--no-such-flag=1']), /no-such-flag/);
});
