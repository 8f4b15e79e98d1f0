import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { renderTemplate, renderText, templateData } from '@tinkerbell/template';

import { WATCHED, rowOf, type BenchContext, type Benchmark } from './benchmark.ts';
import { GO_PROGRAM } from './go-program.ts';
import { hardwareOf } from './machines.ts';
import { alternate, median } from './rounds.ts';
import { findProgram, mustRun } from './running-program.ts';

const ACTIONS = 20;
const DEVICE = { device_1: '00:0c:01:02:03:04' };

/** Only features of both Tinkerbell and plain text/template: conditions, loops, variables, index, printf. */
function templateText(): string {
  const action = (
    index: number,
  ): string => `      - name: {{ printf "%s-%02d" "step" ${index} | printf "%q" }}
        image: quay.io/tinkerbell/actions/writefile:latest
        timeout: {{ if eq .device_1 "" }}90{{ else }}{{ len .device_1 }}0{{ end }}
        environment:
          DEST_DISK: {{ index .Hardware.Disks 0 }}
          FS_TYPE: ext4
          DEST_PATH: /etc/network/interfaces.d/${index}
          CONTENTS: |
            {{- range $i, $nic := .Hardware.Interfaces }}
            auto eth{{ $i }}
            iface eth{{ $i }} inet static
              address {{ $nic.DHCP.IP.Address }}
              netmask {{ $nic.DHCP.IP.Netmask }}
              {{- with $nic.DHCP.IP.Gateway }}
              gateway {{ . }}
              {{- end }}
              {{- range $nic.DHCP.NameServers }}
              dns-nameserver {{ . }}
              {{- end }}
            {{- end }}
          MODE: "0644"
`;
  return `version: "0.1"
name: benchmark
global_timeout: 1800
tasks:
  - name: "install {{ (index .Hardware.Interfaces 0).DHCP.Hostname }}"
    worker: "{{ .device_1 }}"
    volumes:
      - /dev:/dev
    actions:
${Array.from({ length: ACTIONS }, (_, index) => action(index)).join('')}`;
}

export const goTemplateBenchmark: Benchmark = {
  name: 'go-template',
  summary: `a Template of ${ACTIONS} actions rendered for a Hardware; beside Go's text/template where a Go toolchain is`,
  async run(context) {
    const text = templateText();
    const hardware = hardwareOf(0);
    const dot = templateData(hardware, DEVICE);
    const seconds = context.quick ? 0.5 : 2;
    const go = await buildPeer(context, { text, expected: expectedText(text, dot), seconds });
    const rounds = context.quick ? 1 : 5;
    const found = await alternate(rounds, {
      text: () => rendersPerSecond(seconds, () => renderText({ templateName: 't', text }, dot)),
      workflow: () =>
        rendersPerSecond(seconds, () =>
          renderTemplate({ templateName: 't', text, hardware, hardwareMap: DEVICE }),
        ),
      go: async () => (go === undefined ? Number.NaN : await go()),
    });
    const row = { unit: '/s', better: 'higher' } as const;
    const peer = go === undefined ? undefined : { name: 'Go text/template', value: median(found.go) };
    return [
      rowOf({ ...row, name: 'parse and execute', value: median(found.text), peer, goal: { ratio: 4 } }),
      rowOf({
        ...row,
        name: 'the same, then YAML read and the workflow validated',
        value: median(found.workflow),
        goal: WATCHED,
      }),
    ];
  },
};

function expectedText(text: string, dot: Parameters<typeof renderText>[1]): string {
  const rendered = renderText({ templateName: 't', text }, dot);
  if (!rendered.ok) throw new Error(rendered.error.text);
  return rendered.text;
}

async function rendersPerSecond(seconds: number, render: () => { readonly ok: boolean }): Promise<number> {
  const run = (forMs: number): number => {
    const startedMs = performance.now();
    let count = 0;
    while (performance.now() - startedMs < forMs) {
      if (!render().ok) throw new Error('the template does not render');
      count += 1;
    }
    return (count * 1000) / (performance.now() - startedMs);
  };
  run(200);
  return run(seconds * 1000);
}

/**
 * Builds a Go program that does the same with text/template and must render the same text. Returns undefined
 * without a toolchain.
 */
async function buildPeer(
  context: BenchContext,
  input: { readonly text: string; readonly expected: string; readonly seconds: number },
): Promise<(() => Promise<number>) | undefined> {
  const go = findProgram('go');
  if (go === undefined) return undefined;
  const file = (name: string, content: string): string => {
    const path = join(context.directory, name);
    writeFileSync(path, content);
    return path;
  };
  const source = file('render.go', GO_PROGRAM);
  const files = [file('template', input.text), file('expected', input.expected)];
  const program = join(context.directory, 'render');
  const environment = {
    GOCACHE: join(context.cacheDirectory, 'go'),
    GOTOOLCHAIN: 'local',
    GOFLAGS: '-mod=mod',
    HOME: context.directory,
  };
  await mustRun(context, { command: [go, 'build', '-o', program, source], environment });
  return async () => {
    const run = await mustRun(context, { command: [program, ...files, String(input.seconds)] });
    return Number(run.output.trim());
  };
}
