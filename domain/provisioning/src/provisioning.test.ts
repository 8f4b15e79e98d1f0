import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hardware, HardwareSpec, Template } from '@tinkerbell/resources';
import { drained, validateResource } from '@tinkerbell/resources';
import {
  chooseTemplate,
  configurationOf,
  configured,
  findDevice,
  jobIdFromDigest,
  orderOf,
  parametersFor,
  parseRequest,
  textOfOrder,
  workflowFor,
  workflowNameOf,
  type Method,
  type Result,
  type TemplateChoice,
} from './index.ts';

const apiVersion = 'tinkerbell.org/v1alpha1';

function hardware(name: string, spec: HardwareSpec = {}): Hardware {
  return { apiVersion, kind: 'Hardware', metadata: { name, namespace: 'default' }, spec };
}

function template(name: string, image?: string): Template {
  const labels = image === undefined ? {} : { labels: { 'tinkerbell.org/os-image': image } };
  return { apiVersion, kind: 'Template', metadata: { name, namespace: 'default', ...labels } };
}

/** The name that was found, or the code with the message. */
function outcome(result: Result<{ readonly metadata: { readonly name: string } }>): string {
  return result.ok ? result.value.metadata.name : `${result.failure.code} ${result.failure.message}`;
}

const mac = (last: string) => ({ dhcp: { mac: `52:54:00:00:00:${last}` } });
const instance = (id: string) => ({ metadata: { instance: { id } } });

const machines = [
  hardware('m1', { ...instance('i-1'), interfaces: [mac('01'), mac('0a')], agentID: 'agent-1' }),
  hardware('i-1', { agentID: 'agent-2' }),
  hardware('m3', { ...instance('i-3'), interfaces: [mac('03')], agentID: 'twice' }),
  hardware('m4', { ...instance('i-4'), interfaces: [mac('03')], agentID: 'twice' }),
  hardware('m5', { ...instance('agent-1'), interfaces: [mac('05')], agentID: '52:54:00:00:00:01' }),
  hardware('m6', instance('i-6')),
  hardware('m7', instance('i-6')),
];

const devices: readonly (readonly [device: string, found: RegExp])[] = [
  ['m1', /^m1$/],
  // A name goes before another's instance id.
  ['i-1', /^i-1$/],
  ['i-3', /^m3$/],
  ['52:54:00:00:00:0a', /^m1$/],
  ['52-54-00-00-00-0A', /^m1$/],
  // An instance id goes before another's agentID, a MAC before an agentID of the same text.
  ['agent-1', /^m5$/],
  ['52:54:00:00:00:01', /^m1$/],
  ['agent-2', /^i-1$/],
  ['i-6', /^failed-precondition .*metadata\.instance\.id i-6 .* m6, m7; use a name/],
  ['52:54:00:00:00:03', /^failed-precondition .*MAC .* m3, m4/],
  ['twice', /^failed-precondition .*agentID twice .* m3, m4/],
  ['M1', /^not-found .*name, metadata\.instance\.id, MAC or agentID M1/],
];

for (const [device, found] of devices)
  test(`device ${device} is ${found.source}`, () => {
    assert.match(outcome(findDevice(device, machines)), found);
  });

const templates = [
  template('debian', 'debian-12'),
  template('ubuntu-a', 'ubuntu-22.04'),
  template('ubuntu-b', 'ubuntu-22.04'),
  template('debian-12', 'other'),
  template('plain'),
];

const choices: readonly (readonly [choice: TemplateChoice, found: RegExp])[] = [
  [{ os_image: 'debian-12' }, /^debian$/],
  [{ os_image: 'plain' }, /^plain$/],
  [{ os_image: 'ubuntu-22.04' }, /^failed-precondition .*=ubuntu-22\.04: ubuntu-a, ubuntu-b;/],
  [{ os_image: 'talos' }, /^not-found .* there are: debian-12, other, plain, ubuntu-22\.04$/],
  [{ template: 'debian-12' }, /^debian-12$/],
  [{ template: 'talos' }, /^not-found .*no Template talos; there are: debian, debian-12, plain/],
];

for (const [choice, found] of choices)
  test(`${JSON.stringify(choice)} is ${found.source}`, () => {
    assert.match(outcome(chooseTemplate(choice, templates)), found);
  });

const [m1] = machines as [Hardware];

const parameters: readonly (readonly [
  given: Record<string, string>,
  made: Record<string, string> | RegExp,
])[] = [
  [{}, { device_1: '52:54:00:00:00:01' }],
  [{ device_1: 'x' }, { device_1: 'x' }],
  [
    { disk_2: '/dev/sda', _: '', größe: '1' },
    { device_1: '52:54:00:00:00:01', disk_2: '/dev/sda', _: '', größe: '1' },
  ],
  [{ 'a-b': '' }, /^config\.a-b: must be a name that a template can use/],
  [{ '1a': '' }, /^config\.1a: must be a name/],
  [{ '': '' }, /^config\.: must be a name/],
  [{ 'a.b': '' }, /^config\.a\.b: must be a name/],
  [{ hardware: '' }, /^config\.hardware: is set by the server/],
  [{ Hardware: '' }, /^config\.Hardware: is set by the server/],
  [{ references: '' }, /^config\.references: is set by the server/],
  [{ big: 'x'.repeat(600_000) }, /^config: is larger than/],
  [
    Object.fromEntries(Array.from({ length: 257 }, (_, index) => [`a${index}`, ''])),
    /^config: has more than 256/,
  ],
];

for (const [index, [given, made]] of parameters.entries())
  test(`parameters ${JSON.stringify(given).slice(0, 40)} (${index + 1})`, () => {
    const result = parametersFor(given, m1, 'config');
    if (made instanceof RegExp) assert.match(result.ok ? '' : result.failure.message, made);
    else assert.deepEqual(result, { ok: true, value: made });
  });

test('a machine without a MAC is identified by its agent', () => {
  assert.deepEqual(parametersFor({}, hardware('m', { agentID: 'a' }), 'config'), {
    ok: true,
    value: { device_1: 'a' },
  });
  assert.deepEqual(parametersFor({}, hardware('m'), 'config'), { ok: true, value: {} });
});

const id = '01J8ZQ5W6X0000000000000000';

const checked = (method: Method, value: unknown) => drained(parseRequest(method, value));

const requests: readonly (readonly [
  method: Method,
  request: unknown,
  field: string | undefined,
  message: RegExp,
])[] = [
  ['ProvisionDevice', undefined, undefined, /^the request: must be an object/],
  ['ProvisionDevice', [], undefined, /^the request: must be an object/],
  ['ProvisionDevice', {}, 'device_id', /is required/],
  ['ProvisionDevice', { device_id: 'm1' }, 'os_image', /is required/],
  ['ProvisionDevice', { device_id: '', os_image: 'x' }, 'device_id', /fewer than 1 char/],
  ['ProvisionDevice', { device_id: 7, os_image: 'x' }, 'device_id', /must be a string/],
  [
    'ProvisionDevice',
    { device_id: 'm', os_image: 'x', os_imagee: '' },
    'os_imagee',
    /did you mean "os_image"\?/,
  ],
  ['ProvisionDevice', { device_id: 'm', os_image: 'x', config: { a: null } }, 'config.a', /must be a string/],
  ['ProvisionDevice', { device_id: 'm', os_image: 'x', replace: 'yes' }, 'replace', /must be a boolean/],
  [
    'ProvisionDevice',
    { device_id: 'm', os_image: 'x', idempotency_key: 'k'.repeat(256) },
    'idempotency_key',
    /more than 255/,
  ],
  ['CreateJob', { template: 'x' }, 'device_id', /is required/],
  ['GetJobStatus', { job_id: 'x' }, 'job_id', /must be a job id/],
  ['GetJobStatus', { job_id: `8${id.slice(1)}` }, 'job_id', /must be a job id/],
  ['CancelJob', { job_id: id, reason: 'x'.repeat(2000) }, 'reason', /more than 1024/],
  ['ListJobs', { state: 'DONE' }, 'state', /must be one of "ACCEPTED", "PREPARING"/],
  ['ListJobs', { page_size: 501 }, 'page_size', /<= 500/],
  ['ListJobs', { page_size: -1 }, 'page_size', />= 0/],
  ['ApplyConfiguration', { device_id: 'm', config: {} }, 'config', /fewer than 1 prop/],
  [
    'ApplyConfiguration',
    { device_id: 'm', config: { hostnam: '' } },
    'config.hostnam',
    /did you mean "hostname"\?/,
  ],
  [
    'ApplyConfiguration',
    { device_id: 'm', config: { hostname: 'a b' } },
    'config.hostname',
    /must be a host name/,
  ],
  [
    'ApplyConfiguration',
    { device_id: 'm', config: { hostname: '-a' } },
    'config.hostname',
    /must be a host name/,
  ],
  [
    'ApplyConfiguration',
    { device_id: 'm', config: { allow_pxe: 'no' } },
    'config.allow_pxe',
    /must be a boolean or null/,
  ],
];

for (const [index, [method, request, field, message]] of requests.entries())
  test(`${method} refuses ${JSON.stringify(request)?.slice(0, 60)} (${index + 1})`, () => {
    const parsed = checked(method, request);
    assert.ok(!parsed.ok);
    assert.deepEqual([parsed.failure.code, parsed.failure.field], ['invalid-argument', field]);
    assert.match(parsed.failure.message, message);
  });

test('a request with many parameters is checked in turns, because it may be a hostile one', () => {
  const config = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`p${at}`, 1]));
  const check = parseRequest('ProvisionDevice', { device_id: 'm', os_image: 'x', config });
  let pauses = 0;
  while (check.next().done !== true) pauses += 1;
  assert.ok(pauses >= 10, `${pauses} pauses`);
});

test('accepts what the schemas allow', () => {
  assert.ok(
    checked('ProvisionDevice', { device_id: 'm', os_image: 'x', config: { a: '' }, replace: true }).ok,
  );
  assert.ok(checked('GetJobStatus', { job_id: id.toLowerCase() }).ok);
  assert.ok(checked('ListJobs', {}).ok);
  assert.ok(checked('ApplyConfiguration', { device_id: 'm', config: { user_data: null } }).ok);
});

test('an order has a template or an os_image, and one text whatever the order of its fields', () => {
  const order = (request: object) => orderOf({ device_id: 'm', ...request });
  assert.ok(!order({}).ok);
  assert.ok(!order({ template: 'a', os_image: 'b' }).ok);
  const text = (request: object) => {
    const made = order(request);
    assert.ok(made.ok);
    return textOfOrder(made.value);
  };
  const same = text({ os_image: 'x', config: { a: '1', b: '2' } });
  assert.equal(text({ os_image: 'x', parameters: { b: '2', a: '1' }, idempotency_key: 'k' }), same);
  for (const other of [
    { config: { a: '1' } },
    { config: { a: '1', b: '3' } },
    { replace: true, config: { a: '1', b: '2' } },
  ])
    assert.notEqual(text({ os_image: 'x', ...other }), same);
  assert.notEqual(text({ template: 'x', config: { a: '1', b: '2' } }), same);
});

test('an id from a digest is a ULID, and always the same', () => {
  const digest = Uint8Array.from({ length: 32 }, (_, index) => 255 - index);
  const made = jobIdFromDigest(digest);
  assert.match(made, /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
  assert.equal(jobIdFromDigest(digest), made);
  assert.notEqual(jobIdFromDigest(digest.with(25, 0)), made);
  assert.ok(checked('GetJobStatus', { job_id: made }).ok);
});

test('a job is a valid Workflow that names its owner', () => {
  const made = workflowFor({
    jobId: id,
    hardware: m1,
    template: template('debian', 'debian-12'),
    choice: { os_image: 'debian-12' },
    user: 'auth0|ann@example.org',
    hardwareMap: { device_1: 'x' },
    requestDigest: 'abc',
  });
  assert.deepEqual(made, {
    apiVersion,
    kind: 'Workflow',
    metadata: {
      name: workflowNameOf(id),
      namespace: 'default',
      labels: {
        'tinkerbell.org/job-id': id,
        'tinkerbell.org/device': 'm1',
        'tinkerbell.org/user': 'auth0_ann_example.org',
      },
      annotations: {
        'tinkerbell.org/os-image': 'debian-12',
        'tinkerbell.org/request-digest': 'abc',
        'tinkerbell.org/user': 'auth0|ann@example.org',
      },
    },
    spec: { templateRef: 'debian', hardwareRef: 'm1', hardwareMap: { device_1: 'x' } },
  });
  assert.ok(validateResource(made).ok);
});

test('a configuration is merged: absent values stay, and null removes them', () => {
  const before = hardware('m', {
    userData: 'old',
    vendorData: 'vendor',
    metadata: { instance: { id: 'i', hostname: 'old' } },
    interfaces: [
      { dhcp: { mac: '52:54:00:00:00:01', hostname: 'old' }, netboot: { allowPXE: false } },
      { dhcp: {} },
      {},
    ],
  });
  const after = configured(before, { user_data: 'new', vendor_data: null, hostname: 'new', allow_pxe: true });
  assert.deepEqual(after.spec, {
    userData: 'new',
    metadata: { instance: { id: 'i', hostname: 'new' } },
    interfaces: [
      { dhcp: { mac: '52:54:00:00:00:01', hostname: 'new' }, netboot: { allowPXE: true } },
      { dhcp: { hostname: 'new' }, netboot: { allowPXE: true } },
      { netboot: { allowPXE: true } },
    ],
  });
  assert.deepEqual(configurationOf(after), { user_data: 'new', hostname: 'new', allow_pxe: true });
  const without = configured(after, { hostname: null, allow_pxe: null, allow_workflow: null });
  assert.deepEqual(without.spec?.metadata, { instance: { id: 'i' } });
  assert.deepEqual(configurationOf(without), { user_data: 'new' });
  assert.deepEqual(configured(hardware('m'), { hostname: null }).spec, {});
  assert.equal(before.spec?.userData, 'old');
});
