import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validateResource, type Hardware } from '@tinkerbell/resources';
import {
  ATTRIBUTES_ANNOTATION,
  attributesJson,
  discoveredHardware,
  enrollmentRefusal,
  hardwareOfAgent,
  makeValidName,
  takeToken,
  type AgentAttributes,
} from './index.ts';

const mac = '52:54:00:00:00:01';

/** The example of upstream's discovery_test.go. */
const example: AgentAttributes = {
  cpu: { totalCores: 4, totalThreads: 8, processors: [] },
  memory: { total: '8GB', usable: '7GB' },
  block: [{ name: 'sda' }],
  network: [
    { name: 'eth0', mac: '00:11:22:33:44:55', enabledCapabilities: [] },
    { name: 'tunl0', mac: '00:00:00:00' },
  ],
  pci: [],
  gpu: [],
  chassis: { serial: 'TestType', vendor: 'TestManufacturer' },
  bios: { vendor: 'TestVendor', version: '1.0.0' },
};
const exampleJson =
  '{"cpu":{"totalCores":4,"totalThreads":8},"memory":{"total":"8GB","usable":"7GB"},"blockDevices":[{"name":"sda"}],"networkInterfaces":[{"name":"eth0","mac":"00:11:22:33:44:55"},{"name":"tunl0","mac":"00:00:00:00"}],"chassis":{"serial":"TestType","vendor":"TestManufacturer"},"bios":{"vendor":"TestVendor","version":"1.0.0"}}';

const names: readonly (readonly [text: string, prefix: string, name: string | undefined])[] = [
  ['aa:bb:cc:dd:ee:ff', 'discovery-', 'discovery-aa-bb-cc-dd-ee-ff'],
  ['test-id', 'discovery-', 'discovery-test-id'],
  ['  A_b..C ', 'enrollment-', 'enrollment-a-b-c'],
  ['-x-', '', 'e-x-e'],
  ['x!', '', 'x-e'],
  ['ö', '', 'e-e'],
  ['x'.repeat(80), 'p-', `p-${'x'.repeat(61)}`],
  [`${'x'.repeat(62)}-y`, '', 'x'.repeat(62)],
  ['💻', 'p-', 'p-e'],
  [' ', 'p-', undefined],
  ['', '', undefined],
];

for (const [text, prefix, expected] of names)
  test(`converts ${JSON.stringify(prefix + text)} to ${expected ?? 'nothing'}`, () => {
    const valid = makeValidName(text, prefix);
    assert.equal(valid.ok ? valid.name : undefined, expected);
  });

test("writes attributes with the names and order of upstream's JSON", () => {
  assert.equal(JSON.stringify(attributesJson(example)), exampleJson);
  const all = attributesJson({
    cpu: { processors: [{ id: 0, cores: 4, capabilities: ['fpu'] }] },
    block: [{ serialNumber: 's', wwn: 'w', physicalBlockSize: '512B' }],
    network: [{ mac: '', speed: '1000Mb/s', enabledCapabilities: ['tx'] }],
    pci: [{ vendor: '0x8086', driver: 'e1000' }],
    gpu: [{ product: 'g' }],
    baseboard: { version: '' },
    product: { name: 'n', serialNumber: undefined as never },
  });
  assert.deepEqual(all, {
    cpu: { processors: [{ id: 0, cores: 4, capabilities: ['fpu'] }] },
    blockDevices: [{ physicalBlockSize: '512B', wwn: 'w', serialNumber: 's' }],
    networkInterfaces: [{ mac: '', speed: '1000Mb/s', enabledCapabilities: ['tx'] }],
    pciDevices: [{ vendor: '0x8086', driver: 'e1000' }],
    gpuDevices: [{ product: 'g' }],
    baseboard: { version: '' },
    product: { name: 'n' },
  });
});

const settings = { namespace: 'machines', enrollmentEnabled: true, requireApproval: false };

function discovered(
  attributes: AgentAttributes | undefined,
  agentId = 'test-id',
  requireApproval = false,
): Hardware {
  const result = discoveredHardware(agentId, attributes, { ...settings, requireApproval });
  assert.ok(result.ok, result.ok ? '' : result.message);
  assert.ok(validateResource(result.hardware).ok);
  return result.hardware;
}

test("creates the Hardware of upstream's test", () => {
  assert.deepEqual(discovered(example), {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: {
      name: 'discovery-test-id',
      namespace: 'machines',
      labels: { 'tinkerbell.org/auto-discovered': 'true' },
      annotations: { 'tinkerbell.org/agent-attributes': exampleJson },
    },
    spec: {
      agentID: 'test-id',
      auto: { enrollmentEnabled: true },
      interfaces: [{ dhcp: { mac: '00:11:22:33:44:55' } }],
    },
  });
});

test('accepts disks with a size and MACs in any form, each once', () => {
  const { spec } = discovered({
    block: [
      { name: 'nvme0n1', size: '239GB' },
      { name: 'sdb', size: '' },
      { name: '../etc/passwd', size: '1GB' },
    ],
    network: [
      { mac: 'AA-BB-CC-00-11-22' },
      { mac: 'aabb.cc00.1122' },
      { mac: '' },
      { mac: 'AA:BB:CC:00:11:23' },
    ],
  });
  assert.deepEqual(spec?.disks, [{ device: '/dev/nvme0n1' }]);
  assert.deepEqual(
    spec.interfaces?.map((one) => one.dhcp?.mac),
    ['aa:bb:cc:00:11:22', 'aa:bb:cc:00:11:23'],
  );
});

test('creates a Hardware without attributes, and one that waits for approval', () => {
  assert.deepEqual(Object.keys(discovered(undefined).metadata), ['name', 'namespace', 'labels']);
  assert.deepEqual(discovered(undefined, mac, true).metadata.annotations, {
    'tinkerbell.org/approval': 'pending',
  });
});

test('omits an annotation of more than 64 KiB, counted in bytes', () => {
  const withSerial = (serial: string) => discovered({ chassis: { serial } }).metadata.annotations ?? {};
  assert.ok(ATTRIBUTES_ANNOTATION in withSerial('ä'.repeat(32_000)));
  assert.ok(!(ATTRIBUTES_ANNOTATION in withSerial('ä'.repeat(33_000))));
  assert.ok(!(ATTRIBUTES_ANNOTATION in withSerial('€'.repeat(22_000))));
  assert.ok(ATTRIBUTES_ANNOTATION in withSerial('💻'.repeat(16_000)));
});

test('limits what a machine can report', () => {
  const long = discoveredHardware('x'.repeat(254), undefined, settings);
  assert.match(long.ok ? '' : long.message, /more than 253 characters/);
  const network = Array.from({ length: 1000 }, (_, index) => ({
    mac: `52:54:00:00:${Math.floor(index / 100)}0:${10 + (index % 90)}`,
  }));
  assert.equal(discovered({ network }).spec?.interfaces?.length, 256);
});

function hardware(
  name: string,
  fields: { agentID?: string; mac?: string; annotations?: Record<string, string>; enabled?: boolean },
): Hardware {
  const { agentID, mac: address, annotations, enabled } = fields;
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name, namespace: 'default', ...(annotations === undefined ? {} : { annotations }) },
    spec: {
      ...(agentID === undefined ? {} : { agentID }),
      ...(enabled === undefined ? {} : { auto: { enrollmentEnabled: enabled } }),
      interfaces: address === undefined ? [] : [{ dhcp: { mac: address } }],
    },
  };
}

const other = '52:54:00:00:00:02';
const owners: readonly (readonly [what: string, known: readonly Hardware[], found: string | RegExp])[] = [
  ['nothing for a new agent', [hardware('a', { agentID: 'x', mac: '52:54:00:00:00:09' })], 'unknown'],
  ['the Hardware of the agent', [hardware('a', { agentID: mac }), hardware('b', { mac })], 'a'],
  ['the Hardware of the MAC that is its name', [hardware('b', { mac })], 'b'],
  ['the Hardware of a MAC that it reports', [hardware('b', { mac: other })], 'b'],
  [
    'too much for two of one agent',
    [hardware('a', { agentID: mac }), hardware('b', { agentID: mac })],
    /^multiple hardware objects found for ID/,
  ],
  [
    'too much for two MACs in two',
    [hardware('a', { mac }), hardware('b', { mac: other })],
    /default\/a, default\/b$/,
  ],
  [
    "another agent's MAC",
    [hardware('a', { agentID: 'x', mac })],
    /^hardware default\/a has a MAC of agent .* of agent x$/,
  ],
];

for (const [what, known, expected] of owners)
  test(`finds ${what}`, () => {
    const found = hardwareOfAgent(
      mac,
      { network: [{ mac: other.toUpperCase() }, { mac: 'none' }] },
      {
        byAgentId: (agentId) => known.filter((one) => one.spec?.agentID === agentId),
        byMac: (address) => known.filter((one) => one.spec?.interfaces?.[0]?.dhcp?.mac === address),
      },
    );
    if (found.kind === 'known') assert.equal(found.hardware.metadata.name, expected);
    else if (found.kind === 'unclear') assert.match(found.message, expected as RegExp);
    else assert.equal(expected, 'unknown');
  });

test('names only some of the Hardware that an agent claims to be', () => {
  const claimed = Array.from({ length: 90 }, (_, index) => `52:54:00:00:00:${index + 10}`);
  const found = hardwareOfAgent(
    'a',
    { network: claimed.map((address) => ({ mac: address })) },
    { byAgentId: () => [], byMac: (address) => [hardware(address, { mac: address })] },
  );
  assert.match(found.kind === 'unclear' ? found.message : '', /:10, .*:11, .*:12 and 87 more$/);
});

const approval = (value: string) => ({ annotations: { 'tinkerbell.org/approval': value } });
const disabled = 'auto enrollment is disabled for this hardware';
const waits = 'hardware m waits for approval; run tink hardware approve m';
const refusals: readonly (readonly [Hardware, justDiscovered: boolean, message: string | undefined])[] = [
  [hardware('m', {}), false, disabled],
  [hardware('m', { enabled: false }), false, disabled],
  [hardware('m', { enabled: true }), false, undefined],
  [hardware('m', { enabled: false }), true, undefined],
  [hardware('m', { ...approval('pending'), enabled: true }), true, waits],
  [hardware('m', approval('')), false, waits],
  [hardware('m', { ...approval('approved'), enabled: false }), false, undefined],
];

for (const [machine, justDiscovered, message] of refusals)
  test(`enrollment of ${JSON.stringify([machine.metadata.annotations, machine.spec?.auto, justDiscovered])}: ${message ?? 'yes'}`, () => {
    const refusal = enrollmentRefusal(machine, justDiscovered);
    assert.equal(refusal?.message, message);
    if (refusal !== undefined) assert.equal(refusal.code, 'failed-precondition');
  });

test('gives tokens at once up to the burst, then by time', () => {
  const cap = { burst: 2, perSecond: 0.5 };
  const times = [0, 0, 0, 1000, 2000, 2000, 1000, 100_000, 100_000, 100_000];
  const taken: boolean[] = [];
  let bucket: ReturnType<typeof takeToken>['bucket'] | undefined;
  for (const nowMs of times) {
    const next = takeToken(bucket, cap, nowMs);
    taken.push(next.taken);
    ({ bucket } = next);
  }
  assert.deepEqual(taken, [true, true, false, false, true, false, false, true, true, false]);
});
