/**
 * Measures how long a large Template takes to render, directly and through the thread that keeps it from
 * delaying packets.
 */
import { createNodeLog, nodeClock } from '@tinkerbell/platform-node';
import { createWorkerRenderer } from '@tinkerbell/platform-template/renderer';
import { renderTemplate } from '@tinkerbell/template';

import { EXPLAINS, WATCHED, rowOf, type BenchContext, type Row } from './benchmark.ts';
import { addressesOf, hardwareOf } from './machines.ts';
import { quantile } from './rounds.ts';

const RENDER_GOAL_MS = 2;
const ACTIONS = 10;
const LINES = 200;
const FUNCTION_CALLS = 50;
/** Five calls of functions in 18 lines. */
const ACTION_LINES = 18;

/**
 * 200 lines and 50 calls of functions: ten actions of 18 lines with five calls each, and a list of volumes.
 */
export function largeTemplate(): string {
  const action = (index: number) => `      - name: {{ printf "%s-%02d" "step" ${index} | quote }}
        image: quay.io/tinkerbell/actions/writefile:latest
        timeout: {{ add 90 ${index} }}
        environment:
          DEST_DISK: {{ index .Hardware.Disks 0 }}
          FS_TYPE: ext4
          DEST_PATH: /etc/network/interfaces.d/${index}
          UID: "0"
          GID: "0"
          MODE: "0644"
          DIRMODE: "0755"
          HOSTNAME: {{ (index .Hardware.Interfaces 0).DHCP.Hostname }}
          CONTENTS: |
            auto eth0
            iface eth0 inet static
              address 10.0.0.${index}
              netmask 255.255.255.0
              gateway 10.0.0.254
`;
  const head = `version: "0.1"
name: benchmark
global_timeout: 1800
tasks:
  - name: install
    worker: "{{ .device_1 }}"
    volumes:
`;
  const volumes = LINES - ACTIONS * ACTION_LINES - head.split('\n').length;
  return `${head}${Array.from({ length: volumes }, (_, index) => `      - /srv/${index}:/srv/${index}\n`).join('')}    actions:
${Array.from({ length: ACTIONS }, (_, index) => action(index)).join('')}`;
}

export async function renderRows(context: BenchContext): Promise<Row[]> {
  const text = largeTemplate();
  const input = {
    templateName: 'benchmark',
    text,
    hardware: hardwareOf(0),
    hardwareMap: { device_1: addressesOf(0).mac },
  };
  const times = context.quick ? 300 : 2000;
  const inThread = await millisecondsOf(times, () => renderTemplate(input));
  const renderer = createWorkerRenderer(nodeClock, createNodeLog({ level: 'error', format: 'json' }));
  context.scope.defer(() => renderer.close());
  const inWorker = await millisecondsOf(times, () => renderer.workflow(input));
  await renderer.close();
  const name = `a Template of ${LINES} lines and ${FUNCTION_CALLS} function calls`;
  const row = { unit: 'ms', better: 'lower' } as const;
  return [
    rowOf({
      ...row,
      name: `${name}: rendered`,
      value: quantile(inThread, 0.5),
      goal: { value: RENDER_GOAL_MS },
    }),
    rowOf({
      ...row,
      name: `${name}: rendered by the server's thread`,
      value: quantile(inWorker, 0.5),
      goal: EXPLAINS,
    }),
    rowOf({ ...row, name: `${name}: the same, 99 of 100`, value: quantile(inWorker, 0.99), goal: WATCHED }),
  ];
}

/** Returns the times of all calls after the first tenth, which warms up. */
async function millisecondsOf(
  times: number,
  render: () => { readonly ok: boolean } | Promise<{ readonly ok: boolean }>,
): Promise<number[]> {
  const found: number[] = [];
  for (let index = 0; index < times; index += 1) {
    const startedMs = performance.now();
    const rendered = await render();
    if (!rendered.ok) throw new Error(`the template does not render: ${JSON.stringify(rendered)}`);
    if (index >= times / 10) found.push(performance.now() - startedMs);
  }
  return found;
}
