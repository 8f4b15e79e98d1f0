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

test('reads what the boot script put on the kernel command line', () => {
  const settings = settingsOf({ kernelCommandLine: CMDLINE });
  assert.equal(settings.id, '02:00:00:00:00:01');
  assert.equal(settings.grpcServer, '10.0.0.1:42113');
  assert.equal(settings.grpcTls, true);
  assert.equal(settings.grpcInsecureTls, false);
  assert.equal(settings.backoffMaxMs, 5000);
});

test('takes a boot token from the kernel command line', () => {
  const kernelCommandLine = `${CMDLINE} tinkerbell_boot_token=AbC-_9`;
  assert.equal(settingsOf({ kernelCommandLine }).bootToken, 'AbC-_9');
  assert.equal(settingsOf({ kernelCommandLine: `${CMDLINE} tinkerbell_boot_token=` }).bootToken, '');
});

test('lets environment win over the kernel, flags over environment, legacy variables over all', () => {
  const environment = { AGENT_ID: 'env', AGENT_GRPC_SERVER: 'env:1' };
  assert.equal(settingsOf({ kernelCommandLine: CMDLINE, environment }).id, 'env');
  const flags = ['--id', 'flag', '-grpc-server=flag:2'];
  assert.equal(settingsOf({ arguments: flags, environment }).id, 'flag');
  assert.equal(settingsOf({ arguments: flags, environment }).grpcServer, 'flag:2');
  const legacy = { ...environment, WORKER_ID: 'legacy', TINKERBELL_GRPC_AUTHORITY: 'old:3' };
  assert.equal(settingsOf({ arguments: flags, environment: legacy }).id, 'legacy');
  assert.equal(settingsOf({ arguments: flags, environment: legacy }).grpcServer, 'old:3');
});

test('takes bare booleans and upstream flags that mean nothing here', () => {
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

test('uses the first MAC when nothing names an id', () => {
  assert.equal(
    settingsOf({ arguments: ['--grpc-server=h:1'], firstMac: '02:00:00:00:00:09' }).id,
    '02:00:00:00:00:09',
  );
});

test('says what is missing or wrong and where to put it', () => {
  const errorOf = (args: readonly string[]): string => {
    const result = readSettings({ ...NOTHING, arguments: args });
    return result.ok ? '' : result.error;
  };
  assert.match(errorOf([]), /no agent id: give --id, AGENT_ID or the kernel argument worker_id/);
  assert.match(errorOf(['--id=a']), /no server.*--grpc-server.*grpc_authority/);
  assert.match(errorOf(['--id=a', '--grpc-server=host']), /found 'host'/);
  assert.match(errorOf(['--id=a', '--grpc-server=h:1', '--grpc-tls=perhaps']), /grpc-tls=perhaps/);
  assert.match(
    errorOf(['--id=a', '--grpc-server=h:1', '--backoff-max-interval=soon']),
    /soon is no duration/,
  );
  assert.match(errorOf(['--no-such-flag=1']), /no-such-flag/);
});
