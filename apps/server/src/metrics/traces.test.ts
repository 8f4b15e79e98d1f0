/** One boot of a machine, from its first packet to the end of its action, is one trace at a real collector. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { StateType } from '@tinkerbell/api/agent';
import { startCollector } from '@tinkerbell/platform-telemetry/testing/otlp-collector';
import { freePort } from '@tinkerbell/sandbox/free-port';
import { agentOf, startedServerChild } from '../testing/server-child.ts';

const mac = '52:54:00:00:00:01';
const secret = 'hunter2-of-the-action';

async function startedServer(collector: string) {
  const [dhcp, tftp, agents] = [await freePort(), await freePort(), await freePort()];
  const child = await startedServerChild((folder) => {
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'assets', 'config.txt'), 'kernel=vmlinuz\n');
    return [
      '--dhcp-bind-addr=127.0.0.1',
      `--dhcp-bind-port=${dhcp}`,
      `--tftp-server-bind-port=${tftp}`,
      `--tftp-asset-dir=${folder}/assets`,
      `--tink-server-bind-port=${agents}`,
      '--syslog-enabled=false',
      `--otel-endpoint=${new URL(collector).host}`,
      '--otel-insecure',
    ];
  });
  const { url } = child;
  return {
    url,
    ports: { dhcp, tftp, agents },
    async create(plural: string, object: object): Promise<void> {
      const answer = await child.request(`${url}/apis/tinkerbell.org/v1alpha1/namespaces/default/${plural}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ apiVersion: 'tinkerbell.org/v1alpha1', ...object }),
      });
      assert.equal(answer.status, 201, await answer.text());
    },
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

/** A DISCOVER of PXE firmware for UEFI (RFC 2131, RFC 4578) */
function discover(): Buffer {
  const packet = Buffer.alloc(240);
  packet.set([1, 1, 6, 1]);
  packet.set(
    mac.split(':').map((byte) => Number.parseInt(byte, 16)),
    28,
  );
  packet.set([0x63, 0x82, 0x53, 0x63], 236);
  const vendorClass = Buffer.from('PXEClient:Arch:00007:UNDI:003000');
  const uuid = Buffer.alloc(17);
  return Buffer.concat([
    packet,
    Buffer.from([53, 1, 1, 60, vendorClass.length]),
    vendorClass,
    Buffer.from([93, 2, 0, 7, 94, 3, 1, 3, 0, 97, 17]),
    uuid,
    Buffer.from([255]),
  ]);
}

/** Fetches a file of one block. */
async function tftpFile(port: number, path: string): Promise<string> {
  const socket = createSocket('udp4');
  try {
    socket.send(Buffer.concat([Buffer.from([0, 1]), Buffer.from(`${path}\0octet\0`)]), port, '127.0.0.1');
    const [data, { port: from }] = (await once(socket, 'message')) as [Buffer, { port: number }];
    await new Promise((resolve) => socket.send(Buffer.from([0, 4, 0, 1]), from, '127.0.0.1', resolve));
    return data.subarray(4).toString();
  } finally {
    socket.close();
  }
}

async function runAction(port: number): Promise<void> {
  const agent = agentOf(port, mac);
  const given = await agent.getAction({ agentId: mac }, new AbortController().signal);
  assert.ok(given.ok, given.ok ? '' : given.error);
  const { workflowId, taskId, actionId } = given.value;
  for (const actionState of [StateType.RUNNING, StateType.SUCCESS])
    assert.ok(
      (
        await agent.report({
          workflowId,
          taskId,
          actionId,
          agentId: mac,
          actionState,
          actionName: 'look',
          executionDuration: '',
        })
      ).ok,
    );
  agent.close();
}

const template = `version: "0.1"
name: survey
global_timeout: 600
tasks:
  - name: survey
    worker: "{{ .device_1 }}"
    actions:
      - name: look
        image: quay.io/tinkerbell/actions/cexec:latest
        timeout: 60
        environment: { PASSWORD: ${secret} }
`;

test('a boot and its workflow are one trace', { timeout: 120_000 }, async () => {
  await using collector = await startCollector();
  await using server = await startedServer(collector.url);
  await server.create('hardware', {
    kind: 'Hardware',
    metadata: { name: 'h' },
    spec: {
      agentID: mac,
      interfaces: [
        {
          dhcp: { mac, ip: { address: '10.9.9.9', netmask: '255.255.255.0' } },
          netboot: { allowPXE: true, allowWorkflow: true },
        },
      ],
    },
  });
  const socket = createSocket('udp4');
  socket.send(discover(), server.ports.dhcp, '127.0.0.1');
  const [boot] = await collector
    .until((spans) => spans.some(({ name }) => name === 'dhcp'))
    .then((spans) => spans.filter(({ name }) => name === 'dhcp'));
  socket.close();
  assert.equal(await tftpFile(server.ports.tftp, `${mac}/config.txt`), 'kernel=vmlinuz\n');
  assert.equal((await fetch(`${server.url}/ipxe/script/${mac}/auto.ipxe`)).status, 200);
  await server.create('templates', {
    kind: 'Template',
    metadata: { name: 'survey' },
    spec: { data: template },
  });
  await server.create('workflows', {
    kind: 'Workflow',
    metadata: { name: 'w' },
    spec: { templateRef: 'survey', hardwareRef: 'h', hardwareMap: { device_1: mac } },
  });
  await runAction(server.ports.agents);

  const own = await collector
    .until((spans) => spans.some(({ name }) => name === 'action look'))
    .then((spans) => spans.filter(({ traceId }) => traceId === boot?.traceId));
  const steps = own.map(({ name }) => name);
  for (const step of [
    'tftp',
    'GET ipxe-script',
    'proto.WorkflowService/GetAction',
    'proto.WorkflowService/ReportActionStatus',
    'action look',
  ])
    assert.ok(steps.includes(step), `${step} is not among ${steps.join(', ')}`);
  assert.deepEqual(
    own.filter(({ spanId }) => spanId !== boot?.spanId).map(({ parentSpanId }) => parentSpanId),
    own.slice(1).map(() => boot?.spanId),
  );
  const action = own.find(({ name }) => name === 'action look');
  assert.deepEqual(
    [action?.attributes['workflow.name'], action?.attributes['workflow.attempt'], action?.failure],
    ['default/w', '1', undefined],
  );
  assert.doesNotMatch(JSON.stringify(collector.spans.map(({ attributes }) => attributes)), /hunter2/);
  assert.deepEqual([...new Set(collector.spans.map(({ service }) => service))], ['tinkerbell']);
});

test('a caller that traces is the parent of its request', { timeout: 120_000 }, async () => {
  await using collector = await startCollector();
  await using server = await startedServer(collector.url);
  const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  await fetch(`${server.url}/api`, { headers: { traceparent: `00-${traceId}-${spanId}-01` } });
  const spans = await collector.until((all) => all.some((span) => span.traceId === traceId));
  const span = spans.find((one) => one.traceId === traceId);
  assert.deepEqual(
    [span?.name, span?.parentSpanId, span?.attributes['http.response.status_code']],
    ['GET api', spanId, '200'],
  );
});
