/** What each guide needs besides what it shows: files that it names, and what has happened before. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface GuideSetting {
  readonly files?: Readonly<Record<string, string>>;
  /** Run at the beginning. */
  readonly first?: string;
  /** Run before the command with this beginning. */
  readonly before?: Readonly<Record<string, string>>;
  /**
   * An agent that runs beside: its id, and the command before which it starts. Without one it starts at the
   * beginning.
   */
  readonly agent?: { readonly id: string; readonly before?: string };
}

const example = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../../examples/debian', name), 'utf8');

/** The file as an operator edits it, without the note that it is an example. */
const edited = example('hardware.yaml').replace(/\n {2}annotations:\n(?: {4}.*\n)+/, '\n');

const hardware = (name: string, mac: string, ip: string): string => `apiVersion: tinkerbell.org/v1alpha1
kind: Hardware
metadata: {name: ${name}, namespace: default}
spec:
  disks: [{device: /dev/sda}]
  interfaces:
    - dhcp: {mac: "${mac}", ip: {address: ${ip}, netmask: 255.255.255.0}}
      netboot: {allowPXE: true, allowWorkflow: true}
`;

const typo = `apiVersion: tinkerbell.org/v1alpha1
kind: Hardware
metadata:
  name: m1
spec:
  disks:
    - device: /dev/sda
  interfaces:
    - dhcp:
        mac: 08:00:27:9E:F5:3A
        ip:
          address: 192.168.56.43
          netmask: 255.255.255.0
      netboot:
        allowPxe: true
`;

const legacy = {
  id: 'ce2e62ed-826f-4485-a39f-a82bb74338e2',
  metadata: { instance: { hostname: 'server001' } },
  network: { interfaces: [{ dhcp: { mac: '02:00:00:00:00:01', hostname: 'server001' } }] },
};

/** Its action fails after some seconds, and writes to no disk. */
const debianTemplate = `version: "0.1"
name: debian
global_timeout: 600
tasks:
  - name: "install"
    worker: "{{ .device_1 }}"
    actions:
      - name: "stream image"
        image: busybox
        timeout: 60
        environment: {IMG_URL: http://192.168.56.4:7080/images/debian.raw.zst}
        command: ["sh", "-c", "sleep 3; exit 1"]
`;

const misspelt = `version: "0.1"
name: debian
global_timeout: 600
tasks:
  - name: "install"
    worker: "{{ .device_1 | uper }}"
    actions:
      - name: "stream image"
        image: busybox
`;

/** The Hardware that the server creates for an unregistered agent. */
const discovered = hardware('discovery-52-54-00-00-00-01', '52:54:00:00:00:01', '192.168.56.46').replace(
  'metadata: {',
  `metadata: {annotations: {tinkerbell.org/approval: pending, tinkerbell.org/agent-attributes: '{"cpu":{}}'}, `,
);

const broken = `apiVersion: tinkerbell.org/v1alpha1
kind: Template
metadata:
  name: broken
  namespace: default
spec:
  data: |
    version: "0.1"
    name: broken
    global_timeout: 600
    tasks:
      - name: "one"
        worker: "{{ .device_1 }}"
        actions:
          - name: "first"
            image: busybox
            command: ["test", "-b", "{{ index .Hardware.Disks 7 }}"]
`;

const workflow = (name: string, template: string): string => `apiVersion: tinkerbell.org/v1alpha1
kind: Workflow
metadata: {name: ${name}, namespace: default}
spec: {templateRef: ${template}, hardwareRef: m1, hardwareMap: {device_1: "08:00:27:9e:f5:3a"}}
`;

const create = `tink apply -f m1.yaml && tink template create --file debian.yaml &&
  tink workflow create --template debian --hardware m1 --name m1-debian`;
const untilFailed = 'tink wait wf m1-debian --for state=FAILED';
const m1 = { 'm1.yaml': hardware('m1', '08:00:27:9e:f5:3a', '192.168.56.43'), 'debian.yaml': debianTemplate };

export const settings: Readonly<Record<string, GuideSetting>> = {
  'README.md': {
    files: {
      'examples/debian/hardware.yaml': edited,
      'examples/debian/template.yaml': example('template.yaml'),
      'examples/debian/workflow.yaml': example('workflow.yaml'),
      'hardware.yaml': edited.replace(/(\n {8}mac:) .*/, '$1 52-54-00-AB-CD-EF'),
    },
    before: { 'tink workflow retry': 'tink workflow cancel machine-1-debian' },
  },
  'docs/guides/tink.md': {
    files: {
      'typo.yaml': typo,
      'legacy.json': JSON.stringify(legacy),
      'broken.yaml': broken,
      'wf.yaml': workflow('w', 'broken'),
      'site/m3.yaml': hardware('m3', '02:00:00:00:00:03', '192.168.56.45'),
    },
    agent: { id: '08:00:27:9e:f5:3a' },
    before: { 'tink delete -f site/': 'tink apply -f site/' },
  },
  'docs/guides/bmc.md': {
    files: {
      'bmc-m1.yaml': `apiVersion: bmc.tinkerbell.org/v1alpha1
kind: Machine
metadata: {name: bmc-m1, namespace: default}
spec: {connection: {host: 127.0.0.1, insecureTLS: true}}
`,
    },
  },
  'docs/guides/discovery.md': {
    files: { 'discovered.yaml': discovered },
    first: 'tink apply -f discovered.yaml',
  },
  'docs/guides/doctor.md': { files: m1, first: 'tink apply -f m1.yaml' },
  'docs/guides/operating-systems.md': {
    files: {
      'machines.yaml': ['r1', 'h1', 'h2', 't1', 'm1']
        .map((name, index) => hardware(name, `02:00:00:00:00:0${index}`, `192.168.56.5${index}`))
        .join('---\n'),
      'worker.yaml': 'version: v1alpha1\nmachine: {type: worker}\n',
    },
    first: 'tink apply -f machines.yaml',
  },
  'docs/guides/operations.md': { files: m1, first: create },
  'docs/guides/workflows.md': {
    files: { ...m1, 'template.yaml': misspelt },
    first: create,
    agent: { id: '08:00:27:9e:f5:3a', before: 'tink workflow edit' },
    before: {
      'tink workflow edit': `tink workflow resume m1-debian && ${untilFailed}`,
      'curl -X POST': untilFailed,
    },
  },
};

/** Pages whose commands are not run yet, each with the reason. */
export const notCovered: Readonly<Record<string, string>> = {};
