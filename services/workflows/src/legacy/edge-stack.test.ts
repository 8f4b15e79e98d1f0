/**
 * Tests the edge stack's template and hardwareMap, rendered and served to the worker of v0.10 that the stack
 * boots.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { WorkflowAction } from '@tinkerbell/api/legacy-agent';
import { cloudInit, customConfigs, edgeHardwareMap, installer } from '../testing/edge-stack/hardware-map.ts';
import { LegacyWorker } from '../testing/legacy-worker.ts';
import { eventually } from '../testing/running-server.ts';
import { runningProvisioning } from '../testing/running-provisioning.ts';

const TEMPLATE = join(import.meta.dirname, '../testdata/edge-stack/template.yaml');
/** Digits only. The template has them bare, where YAML 1.1 would read a number of base 60. */
const mac = '52:54:00:00:00:01';

async function edgeStack(values: Readonly<Record<string, string>> = {}) {
  await using started = new AsyncDisposableStack();
  const server = started.use(await runningProvisioning({ machines: 1 }));
  await server.put('Template', 'edge', { spec: { data: readFileSync(TEMPLATE, 'utf8') } });
  const hardwareMap = { ...edgeHardwareMap(mac), ...values };
  const spec = { templateRef: 'edge', hardwareRef: 'm1', hardwareMap };
  await server.put('Workflow', 'workflow-1', { spec });
  const worker = new LegacyWorker(`127.0.0.1:${server.service.port()}`, mac);
  started.defer(() => worker.close());
  const status = async () => (await server.workflows())[0]?.status;
  await eventually(async () => {
    const { templateRendering, conditions } = (await status()) ?? {};
    assert.notEqual(templateRendering, 'failed', conditions?.[0]?.message ?? '');
    return (await worker.contexts()).length > 0 ? true : undefined;
  });
  const running = started.move();
  return { worker, status, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

function environmentOf({ environment }: WorkflowAction): Record<string, string> {
  return Object.fromEntries(
    environment.map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]),
  );
}

const taskVolumes = ['/dev:/dev', '/dev/console:/dev/console', '/lib/firmware:/lib/firmware:ro'];
const written = { FS_TYPE: 'ext4' };
const proxy = 'http://proxy.example.org:3128';

/** Name, image, timeout in seconds, volumes after those of the task, pid, environment. */
const expected: readonly [string, string, number, readonly string[], string, Record<string, string>][] = [
  [
    'secure-boot-flag',
    'localhost:7443/edge/securebootflag:v1.0.0',
    560,
    ['/:/host:rw'],
    '',
    { SECURITY_FEATURE_FLAG: 'SECURE_BOOT_AND_FULL_DISK_ENCRYPTION' },
  ],
  ['erase-disks', 'localhost:7443/edge/erase_non_removable_disks:v1.0.0', 560, [], '', {}],
  [
    'stream-os-image',
    'localhost:7443/edge/image2disk:v1.0.0',
    9800,
    ['/run:/run:rw', '/dev/nbd0:/dev/nbd0:rw'],
    'host',
    {
      COMPRESSED: 'true',
      IMG_URL: 'https://files.example.org/ubuntu-22.04.raw.gz',
      SHA256: 'f2ca1bb6c7e907d06dafe4687e579fce76b37e4e93b7605022da52e6ccc26fd2',
      TLS_CA_CERT: '',
      HTTP_PROXY: proxy,
      NO_PROXY: 'localhost,127.0.0.1,.example.org',
    },
  ],
  [
    'apt-proxy',
    'localhost:7443/edge/writefile:v1.0.0',
    90,
    [],
    '',
    {
      ...written,
      DEST_PATH: '/etc/apt/apt.conf',
      UID: '0',
      GID: '0',
      MODE: '0755',
      DIRMODE: '0755',
      CONTENTS: `Acquire::http::Proxy "${proxy}";\nAcquire::https::Proxy "${proxy}";\n`,
    },
  ],
  [
    'cloud-init',
    'localhost:7443/edge/writefile:v1.0.0',
    90,
    [],
    '',
    { ...written, DEST_PATH: '/etc/cloud/cloud.cfg.d/99_infra.cfg', MODE: '0755', CONTENTS: cloudInit },
  ],
  [
    'custom-configs',
    'localhost:7443/edge/writefile:v1.0.0',
    90,
    [],
    '',
    { ...written, DEST_PATH: '/etc/cloud/cloud.cfg.d/custom.cfg', CONTENTS: customConfigs },
  ],
  [
    'installer',
    'localhost:7443/edge/writefile:v1.0.0',
    90,
    [],
    '',
    { ...written, DEST_PATH: '/home/postinstall/installer.sh', CONTENTS: installer },
  ],
  [
    'configure',
    'localhost:7443/edge/cexec:v1.0.0',
    200,
    [],
    '',
    {
      ...written,
      CHROOT: 'y',
      DEFAULT_INTERPRETER: '/bin/sh -c',
      CMD_LINE: ' systemctl enable installer.service && systemctl disable snapd.seeded.service',
    },
  ],
  ['encrypt', 'localhost:7443/edge/fde_dmv:v1.0.0', 560, [], '', { LVM_SIZE: '60' }],
  ['reboot', 'public.ecr.aws/example/reboot-action:latest', 90, ['/worker:/worker'], '', {}],
];

test('the edge stack’s workflow reaches the worker unchanged, with 40 KB of cloud-init byte for byte', async () => {
  await using edge = await edgeStack();
  assert.ok(Buffer.byteLength(cloudInit) >= 40 * 1024);
  const executed: WorkflowAction[] = [];
  await edge.worker.poll((action) => executed.push(action) > 0);
  assert.deepEqual(
    executed.map((action) => [
      action.name,
      action.image,
      Number(action.timeout),
      action.volumes,
      action.pid,
      environmentOf(action),
    ]),
    expected.map(([name, image, timeout, volumes, pid, environment]) => [
      name,
      image,
      timeout,
      [...taskVolumes, ...volumes],
      pid,
      environment,
    ]),
  );
  assert.ok(executed.every(({ taskName, workerId }) => taskName === 'OS provisioning' && workerId === mac));
  const status = await edge.status();
  assert.deepEqual([status?.globalTimeout, status?.agentID], [9800, mac]);
  assert.ok(status?.tasks?.[0]?.actions.every(({ state }) => state === 'SUCCESS'));
});

test('empty values of the hardwareMap omit their actions, and a QCOW2 image uses another program', async () => {
  await using edge = await edgeStack({
    CustomConfigs: '',
    DeviceInfoSecurityFeature: 'NONE',
    DeviceInfoOSImageURL: 'https://files.example.org/ubuntu-22.04.img',
  });
  const { actionList } = await edge.worker.actions('default/workflow-1');
  assert.deepEqual(
    actionList.map(({ name }) => name),
    expected.map(([name]) => name).filter((name) => name !== 'custom-configs' && name !== 'encrypt'),
  );
  assert.equal(actionList[2]?.image, 'localhost:7443/edge/qemu_nbd_image2disk:v1.0.0');
  assert.equal(environmentOf(actionList[2])['COMPRESSED'], 'false');
});
