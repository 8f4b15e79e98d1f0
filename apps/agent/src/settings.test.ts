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

test('reads mirrors from the kernel command line', () => {
  const kernelCommandLine = `${CMDLINE} registry_mirrors=docker.io=http://10.0.0.1:7080/v2/mirror/docker.io`;
  assert.deepEqual(settingsOf({ kernelCommandLine }).containers.registries.mirrors, {
    'docker.io': ['http://10.0.0.1:7080/v2/mirror/docker.io'],
  });
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

test('reads registries from upstream flags, the kernel and the first variables', () => {
  const kernelCommandLine = `${CMDLINE} docker_registry=10.0.0.1:5000/x registry_username=u registry_password=p insecure_registries=10.0.0.1:5000,b`;
  const { registries, runtime, directory } = settingsOf({ kernelCommandLine }).containers;
  assert.deepEqual(registries.credentials, [{ registry: '10.0.0.1:5000', username: 'u', password: 'p' }]);
  assert.deepEqual(registries.plainHttp, ['10.0.0.1:5000', 'b']);
  assert.deepEqual([runtime, directory], ['auto', '/run/tinkerbell-agent/containers']);
  const flags = [
    '--registry-name=quay.io',
    '--registry-username=f',
    '--runtime=containerd',
    '--registry-mirrors=a.b=http://c',
  ];
  const given = settingsOf({
    kernelCommandLine,
    arguments: flags,
    environment: { REGISTRY_PASSWORD: 'old' },
  });
  assert.deepEqual(given.containers.registries.credentials, [
    { registry: 'quay.io', username: 'f', password: 'old' },
  ]);
  assert.deepEqual(given.containers.registries.mirrors, { 'a.b': ['http://c'] });
  assert.equal(given.containers.runtime, 'auto');
  assert.deepEqual(
    settingsOf({ arguments: ['--grpc-server=h:1', '--id=a', '--registry-name=q'] }).containers.registries
      .credentials,
    [],
  );
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
  const valid = ['--id=a', '--grpc-server=h:1'];
  assert.match(
    errorOf([...valid, '--runtime=kubernetes']),
    /runtime=kubernetes is not supported; use auto, builtin, crun, docker/,
  );
  assert.match(errorOf([...valid, '--built-in-actions=no']), /built-in-actions=no must be auto or never/);
  assert.match(errorOf([...valid, '--registry-mirrors=x']), /the mirror 'x' is invalid; write registry=URL/);
  assert.match(errorOf([...valid, '--registry-plain-http=http://x']), /the registry 'http:.*' is invalid/);
});
