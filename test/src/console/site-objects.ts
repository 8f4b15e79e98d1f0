/** Objects of the site in tests of the web console. */
const TINKERBELL = 'tinkerbell.org/v1alpha1';
const ACTIONS = ['write image', 'write hostname', 'reboot'];

export const TEMPLATE = {
  apiVersion: TINKERBELL,
  kind: 'Template',
  metadata: { name: 'debian' },
  spec: {
    data: [
      'version: "0.1"',
      'name: debian',
      'global_timeout: 1800',
      'tasks:',
      '  - name: "install debian"',
      '    worker: "{{ .device_1 }}"',
      '    actions:',
      ...ACTIONS.flatMap((name) => [
        `      - name: "${name}"`,
        '        image: quay.io/tinkerbell/actions/image2disk:latest',
        '        timeout: 900',
      ]),
      '',
    ].join('\n'),
  },
};

/** The first machines have one each. */
export const BMCS = 3;

export function bmcMachine(number: number): object {
  return {
    apiVersion: 'bmc.tinkerbell.org/v1alpha1',
    kind: 'Machine',
    metadata: { name: `bmc-${number}` },
    spec: {
      connection: {
        host: '127.0.0.1',
        insecureTLS: true,
        authSecretRef: { name: 'bmc-login', namespace: 'default' },
      },
    },
  };
}

export function hardware(number: number): object {
  const name = `node-${number}`;
  return {
    apiVersion: TINKERBELL,
    kind: 'Hardware',
    metadata: {
      name,
      labels: { rack: `r${(number % 3) + 5}`, role: number % 4 === 0 ? 'storage' : 'compute' },
    },
    spec: {
      agentID: macOf(number),
      disks: [{ device: '/dev/sda' }],
      ...(number <= BMCS
        ? { bmcRef: { apiGroup: 'bmc.tinkerbell.org', kind: 'Machine', name: `bmc-${number}` } }
        : {}),
      interfaces: [
        {
          dhcp: {
            mac: macOf(number),
            hostname: name,
            arch: 'x86_64',
            uefi: true,
            ip: { address: `192.168.56.${40 + number}`, netmask: '255.255.255.0', gateway: '192.168.56.4' },
          },
          netboot: { allowPXE: number % 5 !== 0, allowWorkflow: true },
        },
      ],
    },
  };
}

export function workflow(number: number): object {
  return {
    apiVersion: TINKERBELL,
    kind: 'Workflow',
    metadata: { name: `node-${number}-debian` },
    spec: {
      templateRef: 'debian',
      hardwareRef: `node-${number}`,
      hardwareMap: { device_1: macOf(number) },
    },
  };
}

/** A run that has ended, before that of `workflow`. Its status is written afterwards. */
export const EARLIER = 'node-1-first';

export function earlierRun(number: number): object {
  const { spec, ...rest } = workflow(number) as { readonly spec: object };
  return { ...rest, metadata: { name: EARLIER }, spec: { ...spec, disabled: true } };
}

export const EARLIER_STATUS = {
  state: 'SUCCESS',
  tasks: [
    {
      id: 'task',
      name: 'install debian',
      agentID: macOf(1),
      actions: ACTIONS.map((name, index) => ({
        id: `action-${index}`,
        name,
        image: 'quay.io/tinkerbell/actions/image2disk:v1',
        timeout: 900,
        state: 'SUCCESS',
        executionStart: '2026-11-01T10:00:00Z',
        executionStop: `2026-11-01T10:00:${10 + index}Z`,
      })),
    },
  ],
};

export function macOf(number: number): string {
  return `52:54:00:ab:cd:${number.toString(16).padStart(2, '0')}`;
}

/** As the server writes it when a boot stops. */
export const WARNING = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'node-6.1', namespace: 'default' },
  type: 'Warning',
  reason: 'FileNotFound',
  message: 'it requested ipxe.efi, which does not exist',
  involvedObject: { apiVersion: TINKERBELL, kind: 'Hardware', namespace: 'default', name: 'node-6' },
  firstTimestamp: new Date().toISOString(),
  lastTimestamp: new Date().toISOString(),
};
