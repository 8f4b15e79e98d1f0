import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  renderTemplate,
  renderText,
  templateData,
  type RenderInput,
  type RenderResult,
  validateTemplateText,
} from './index.ts';

const HARDWARE = {
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Hardware',
  metadata: { name: 'machine1', namespace: 'tink', labels: { rack: 'r1' } },
  spec: {
    disks: [{ device: '/dev/nvme0n1' }, { device: '/dev/sda' }],
    interfaces: [
      {
        dhcp: {
          mac: '08:00:27:00:00:01',
          hostname: 'machine1',
          lease_time: 4294967294,
          uefi: true,
          name_servers: ['1.1.1.1', '8.8.8.8'],
          ip: { address: '192.168.2.10', netmask: '255.255.255.0', gateway: '192.168.2.1' },
        },
        netboot: { allowPXE: true, allowWorkflow: false },
      },
      { dhcp: { mac: '08:00:27:00:00:02' } },
    ],
    metadata: { instance: { id: 'i-1', operating_system: { slug: 'ubuntu' }, tags: ['a', 'b'] } },
    userData: '#cloud-config\n',
  },
};

const WORKFLOW = `version: "0.1"
name: install
global_timeout: 1800
tasks:
  - name: os
    worker: "{{.device_1}}"
    volumes: [/dev:/dev]
    environment: { MIRROR: http://x, MODE: 0644 }
    actions:
      - name: stream
        image: quay.io/tinkerbell/actions/image2disk:latest
        timeout: 600
        environment:
          DEST_DISK: {{ index .Hardware.Disks 0 }}
          PART: {{ formatPartition (index .Hardware.Disks 0) 2 }}
          FLAG: y
          EMPTY:
          OCTAL: 0644
        unknown: ignored
      - name: reboot
        image: reboot
        command: ["sh", "-c", 1]
        pid: host
        namespaces: { network: host }
`;

function render(text: string, more: Partial<RenderInput> = {}): RenderResult {
  return renderTemplate({
    templateName: 'wf1',
    text,
    hardware: HARDWARE,
    hardwareMap: { device_1: '08:00:27:00:00:01' },
    ...more,
  });
}

/** Renders an expression inside a name, and returns the name or the error's text. */
function show(expression: string, more: Partial<RenderInput> = {}): string {
  const result = render(`name: |\n  ${expression}\ntasks: [{name: t, worker: w}]`, more);
  return result.ok ? result.workflow.name.replace(/\n$/, '') : result.error.text;
}

test('a template becomes a workflow with every field, and strings as they were written', () => {
  const result = render(WORKFLOW);
  assert.ok(result.ok, result.ok ? '' : result.error.text);
  assert.deepEqual(result.workflow, {
    name: 'install',
    globalTimeoutSeconds: 1800,
    tasks: [
      {
        name: 'os',
        worker: '08:00:27:00:00:01',
        volumes: ['/dev:/dev'],
        environment: new Map([
          ['MIRROR', 'http://x'],
          ['MODE', '0644'],
        ]),
        actions: [
          {
            name: 'stream',
            image: 'quay.io/tinkerbell/actions/image2disk:latest',
            timeoutSeconds: 600,
            command: [],
            volumes: [],
            environment: new Map([
              ['DEST_DISK', '/dev/nvme0n1'],
              ['PART', '/dev/nvme0n1p2'],
              ['FLAG', 'y'],
              ['EMPTY', ''],
              ['OCTAL', '0644'],
            ]),
            pid: '',
            namespaces: { network: '', pid: '' },
          },
          {
            name: 'reboot',
            image: 'reboot',
            timeoutSeconds: 0,
            command: ['sh', '-c', '1'],
            volumes: [],
            environment: new Map(),
            pid: 'host',
            namespaces: { network: 'host', pid: '' },
          },
        ],
      },
    ],
  });
});

const EXPRESSIONS: readonly (readonly [string, string])[] = [
  ['{{ .hardware.metadata.name }}', 'machine1'],
  ['{{ .hardware.metadata.labels.rack }}', 'r1'],
  ['{{ (index .hardware.spec.interfaces 0).dhcp.lease_time }}', '4.294967294e+09'],
  ['{{ (index .Hardware.Interfaces 0).DHCP.LeaseTime }}', '4294967294'],
  ['{{ (index .Hardware.Interfaces 0).DHCP.IP.Netmask | netmaskToPrefixLength }}', '24'],
  ['{{ (index .Hardware.Interfaces 0).Netboot.AllowPXE }}', 'true'],
  ['{{ if (index .Hardware.Interfaces 0).Netboot.AllowWorkflow }}yes{{ else }}no{{ end }}', 'yes'],
  ['{{ if (index .Hardware.Interfaces 1).Netboot }}yes{{ else }}no{{ end }}', 'no'],
  ['{{ if .Hardware.Metadata }}yes{{ end }}', 'yes'],
  ['{{ .Hardware.Metadata.Instance.OperatingSystem.Slug }}', 'ubuntu'],
  ['{{ range .Hardware.Metadata.Instance.Tags }}{{ . }};{{ end }}', 'a;b;'],
  ['{{ .Hardware.UserData | trim }}', '#cloud-config'],
  ['{{ len .Hardware.Interfaces }} {{ .Hardware.VendorData }}.', '2 .'],
  [
    '{{ with (index .Hardware.Interfaces 0).DHCP.IP }}{{ toJson . }}{{ end }}',
    '{"address":"192.168.2.10","netmask":"255.255.255.0","gateway":"192.168.2.1"}',
  ],
  ['{{ default "none" .Hardware.Metadata.State }}', 'none'],
];

for (const [expression, expected] of EXPRESSIONS) {
  test(`${expression} renders as upstream does`, () => {
    assert.equal(show(expression), expected);
  });
}

const FAILURES: readonly (readonly [string, string])[] = [
  ['{{ .hardware.spec.nope }}', 'at <.hardware.spec.nope>: map has no entry for key "nope"'],
  ['{{ (index .Hardware.Interfaces 1).DHCP.IP.Address }}', 'nil pointer evaluating *tinkerbell.IP.Address'],
  [
    '{{ .Hardware.Metadata.Facility.PlanSlug }}',
    'nil pointer evaluating *tinkerbell.MetadataFacility.PlanSlug',
  ],
  ['{{ .Hardware.Nope }}', "can't evaluate field Nope in type interface {}"],
  ['{{ .device_2 }}', 'map has no entry for key "device_2"'],
  ['{{ index .Hardware.Disks 5 }}', 'error calling index: index out of range: 5'],
  ['{{ .references.x }}', 'map has no entry for key "references"'],
  ['{{ .hardware.__proto__ }}', 'map has no entry for key "__proto__"'],
];

for (const [expression, expected] of FAILURES) {
  test(`${expression} fails as upstream does`, () => {
    const text = show(expression);
    assert.ok(
      text.startsWith('failed to parse template with ID wf1: err: template: workflow-template:2:'),
      text,
    );
    assert.ok(text.endsWith(expected), text);
  });
}

test('the hardware takes precedence over hardwareMap keys of the same name', () => {
  assert.equal(
    show('{{ .hardware.metadata.name }}', { hardwareMap: { hardware: 'x', Hardware: 'y' } }),
    'machine1',
  );
});

test('without hardware the structs are empty, not missing', () => {
  assert.equal(
    show('{{ len .Hardware.Disks }}{{ .hardware.spec }}', { hardware: undefined }),
    '0map[auto:map[]]',
  );
});

test('an error in the template states line and column in the template', () => {
  const result = render('name: x\ntasks:\n  - name: {{ .nope }}\n');
  assert.ok(!result.ok);
  const { step, where, line, column, expression } = result.error;
  assert.deepEqual([step, where, line, column, expression], ['execute', 'template', 3, 14, '.nope']);
});

test('output of 262144 bytes is allowed and one more is not', () => {
  const frame = (size: number) => `name: x #\ntasks: [{name: t, worker: w}]\n#{{ repeat ${size} "x" }}`;
  const room = 262_144 - frame(1).indexOf('{{');
  assert.equal(render(frame(room)).ok, true);
  const result = render(frame(room + 1));
  assert.ok(!result.ok);
  assert.equal(
    result.error.text,
    'failed to parse template with ID wf1: err: rendered template exceeds 262144 bytes',
  );
});

const action = (name: string, image: string): string => `{name: ${name}, image: ${image}}`;
const task = (name: string, actions: string, worker = 'w'): string =>
  `  - name: ${name}\n    worker: ${worker}\n    actions: [${actions}]\n`;

const INVALID: readonly (readonly [why: string, text: string, error: string, path: string, line: number])[] =
  [
    [
      'no name',
      'tasks: []',
      'validating workflow template: name cannot be empty or have more than 200 characters: ',
      'name',
      1,
    ],
    [
      'a name of 200 bytes',
      `name: ${'x'.repeat(200)}`,
      `validating workflow template: name cannot be empty or have more than 200 characters: ${'x'.repeat(200)}`,
      'name',
      1,
    ],
    [
      'no tasks',
      'name: x\ntasks: []',
      'validating workflow template: template must have at least one task defined',
      'tasks',
      2,
    ],
    [
      'two tasks of one name',
      `name: x\ntasks:\n${task('a', '')}${task('a', '')}`,
      'validating workflow template: two tasks in a template cannot have same name (a)',
      'tasks[1].name',
      6,
    ],
    [
      'two actions of one name',
      `name: x\ntasks:\n${task('a', `${action('b', 'i')}, ${action('b', 'i')}`)}`,
      'validating workflow template: two actions in a task cannot have same name: b',
      'tasks[0].actions[1].name',
      5,
    ],
    [
      'a bad image',
      `name: x\ntasks:\n${task('a', action('b', 'Bad'))}`,
      'validating workflow template: invalid action image (Bad): invalid reference format: repository name (library/Bad) must be lowercase',
      'tasks[0].actions[0].image',
      5,
    ],
    [
      'a task without agent',
      `name: x\ntasks:\n${task('a', '', '""')}`,
      'failed to render template, empty hardware address (task a)',
      'tasks[0].worker',
      4,
    ],
    [
      'a list for a name',
      'name: [x]',
      'parsing yaml data: err: yaml: line 1: cannot unmarshal !!seq into string',
      'name',
      1,
    ],
    [
      'text for a timeout',
      'name: x\nglobal_timeout: soon',
      'parsing yaml data: err: yaml: line 2: cannot unmarshal !!str `soon` into int',
      'global_timeout',
      2,
    ],
  ];

for (const [why, text, error, path, line] of INVALID) {
  test(`a workflow with ${why} is refused, with the place in the rendered text`, () => {
    const result = render(text);
    assert.ok(!result.ok);
    assert.equal(result.error.text, error);
    assert.deepEqual([result.error.path, result.error.line, result.error.where], [path, line, 'rendered']);
  });
}

test('duplicate keys and broken YAML are refused with line and column', () => {
  for (const text of ['name: a\nname: b', 'name: a\n\tx: 1', 'name: [']) {
    const result = render(text);
    assert.ok(!result.ok);
    assert.equal(result.error.step, 'yaml');
    assert.ok(result.error.line >= 1 && result.error.column >= 1);
  }
});

test('timeouts accept the integer forms of yaml.v3', () => {
  const seconds = (written: string): number => {
    const result = render(`name: x\nglobal_timeout: ${written}\ntasks: [{name: t, worker: w}]`);
    return result.ok ? result.workflow.globalTimeoutSeconds : Number.NaN;
  };
  assert.deepEqual(
    ['10', '0x10', '1_000', '010', '-1', '', '~', '1.0'].map(seconds),
    [10, 16, 1000, 8, -1, 0, 0, 1],
  );
  assert.deepEqual(['1.5', '"10"', 'true', '99999999999999999999'].map(seconds), [
    Number.NaN,
    Number.NaN,
    Number.NaN,
    Number.NaN,
  ]);
});

test('syntax errors and unknown functions are found without executing', () => {
  assert.deepEqual(validateTemplateText(WORKFLOW), { ok: true });
  const result = validateTemplateText('name: x\n  {{ nosuch }}');
  assert.ok(!result.ok);
  assert.equal(result.error.text, 'template: workflow-template:2: function "nosuch" not defined');
  assert.equal(result.error.line, 2);
  for (const removed of ['env', 'now', 'getHostByName', 'expandenv']) {
    assert.equal(validateTemplateText(`{{ ${removed} "x" }}`).ok, false);
  }
});

test('any text, hardware and map result in a workflow or an error, never an exception', () => {
  const piece = fc.constantFrom(
    '{{',
    '}}',
    ' .hardware',
    '.spec',
    ' index',
    ' toYaml',
    ' fromYaml',
    ' "a: b"',
    '\n',
    'name: ',
    'tasks:',
    '- ',
    '[',
    ']',
    '{',
    ' | ',
    ' toJson',
    ' .',
    ' dict "a" 1',
    ' list 1',
    ' repeat 3',
    '&a',
    '*a',
    '  ',
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 30 }).map((all) => all.join('')),
  );
  fc.assert(
    fc.property(
      text,
      fc.jsonValue(),
      fc.dictionary(fc.string(), fc.string()),
      (source, spec, hardwareMap) => {
        const result = render(source, { hardware: { spec }, hardwareMap });
        assert.equal(typeof (result.ok ? result.text : result.error.text), 'string');
      },
    ),
    { numRuns: 1000 },
  );
});

test('.hardware has the keys that the JSON of upstream’s Go object has', () => {
  const networkInterface = {
    disableDhcp: false,
    dhcp: { mac: '08:00:27:00:00:01', uefi: false, lease_time: 0, name_servers: [] },
    netboot: { allowPXE: false },
    ours: false,
  };
  const spec = { interfaces: [networkInterface], metadata: { instance: { id: '', allow_pxe: false } } };
  const rendered = renderText(
    { templateName: 't', text: '{{ toJson .hardware.spec }}' },
    templateData({ spec }, {}),
  );
  assert.ok(rendered.ok);
  assert.deepEqual(JSON.parse(rendered.text), {
    auto: {},
    interfaces: [{ dhcp: { mac: '08:00:27:00:00:01' }, netboot: { allowPXE: false }, ours: false }],
    metadata: { instance: {} },
  });
});
