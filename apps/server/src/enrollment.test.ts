/**
 * An unknown machine contacts the real server: its Hardware, an operator's approval, a Workflow by a rule set, the first
 * action.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAttributes } from '@tinkerbell/app-agent';
import type { Hardware, Resource, Workflow } from '@tinkerbell/resources';
import { freePort } from '@tinkerbell/sandbox/free-port';
import { agentOf, startedServerChild } from './testing/server-child.ts';

const mac = '52:54:00:00:00:01';
const name = '52-54-00-00-00-01';

async function startedServer() {
  const port = await freePort();
  const child = await startedServerChild(() => [
    `--tink-server-bind-port=${port}`,
    '--enable-smee=false',
    '--enable-images=false',
    '--enable-tootles=false',
    '--tink-server-auto-discovery-enabled',
    '--tink-server-auto-discovery-approval',
    '--tink-server-auto-enrollment-enabled',
  ]);
  const { url } = child;
  const api = `${url}/apis/tinkerbell.org/v1alpha1/namespaces/default`;
  const request = async (method: string, path: string, body?: object): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await child.request(`${api}/${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    if (answer.status === 404) return undefined;
    assert.ok(answer.ok, `${method} ${path}: ${await answer.clone().text()}`);
    return answer.json();
  };
  return {
    agent: agentOf(port, mac),
    request,
    metrics: async () => (await fetch(`${url}/metrics`)).text(),
    timeline: async (path: string) => (await child.request(`${api}/${path}/timeline?after=0`)).text(),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
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
        environment:
          MACHINE: "{{ .hardware.metadata.name }}"
`;

const objects: readonly Resource[] = [
  {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Template',
    metadata: { name: 'survey', namespace: 'default' },
    spec: { data: template },
  },
  {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'WorkflowRuleSet',
    metadata: { name: 'survey', namespace: 'default' },
    spec: {
      rules: ['{"cpu": {"totalThreads": [{"numeric": [">", 0]}]}}'],
      workflow: { namespace: 'default', template: { ref: 'survey', agentValue: 'device_1' } },
    },
  },
];

test(
  'discovers, waits for approval, enrolls, and assigns the first action',
  { timeout: 60_000 },
  async () => {
    await using server = await startedServer();
    for (const object of objects) await server.request('POST', `${object.kind.toLowerCase()}s`, object);
    const stopping = new AbortController();
    const { agentId, agentAttributes } = { agentId: mac, agentAttributes: readAttributes('/') };
    const held = server.agent.getAction({ agentId, agentAttributes }, stopping.signal);
    const path = `hardware/discovery-${name}`;
    let found: Hardware | undefined;
    while (found === undefined) found = (await server.request('GET', path)) as Hardware | undefined;
    assert.equal(found.spec?.agentID, mac);
    assert.equal(found.metadata.annotations?.['tinkerbell.org/approval'], 'pending');
    assert.match(found.metadata.annotations['tinkerbell.org/agent-attributes'] ?? '', /"totalThreads":\d/);
    const annotations = { 'tinkerbell.org/approval': 'approved' };
    await server.request('PUT', path, { ...found, metadata: { ...found.metadata, annotations } });
    const given = await held;
    assert.ok(given.ok, given.ok ? '' : given.error);
    assert.equal(given.value.workflowId, `default/enrollment-${name}`);
    assert.deepEqual(given.value.environment, [`MACHINE=discovery-${name}`]);
    const made = (await server.request('GET', `workflows/enrollment-${name}`)) as Workflow;
    assert.equal(made.metadata.ownerReferences?.[0]?.name, 'survey');
    assert.match(await server.metrics(), /tink_server_auto_enrollment_total\{result="enrolled"\} 1/);
    assert.match(await server.timeline(`workflows/enrollment-${name}`), /by rule set survey/);
    server.agent.close();
  },
);
