import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bundleAgent } from './agent-bundle.ts';

/** Parts that only the agent itself needs, by a name in them. Loading them takes as long as the start of Node. */
const AGENT_ONLY = { 'the protobuf runtime': 'bootFieldDescriptorProto', gRPC: 'Http2SubchannelConnector' };

test('the process of an action loads neither gRPC nor the protobuf runtime', async () => {
  const files = new Map(
    (await bundleAgent()).map(({ name, content }) => [name, Buffer.from(content).toString()]),
  );
  const whole = [...files.values()].join('\n');
  const runner = [...files.keys()].find((name) => name.startsWith('action-runner'));
  const loaded = new Set([runner ?? '']);
  for (const name of loaded)
    for (const [, part = ''] of (files.get(name) ?? '').matchAll(/\b(?:from|import)"\.\/([^"]+)"/g))
      loaded.add(part);
  assert.ok(loaded.size > 1, 'it imports something');
  for (const [part, name] of Object.entries(AGENT_ONLY)) {
    assert.ok(whole.includes(name), `${part} has another name by now`);
    for (const file of loaded) assert.ok(!files.get(file)?.includes(name), `${file} has ${part}`);
  }
});
