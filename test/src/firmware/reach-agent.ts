/** A Workflow whose first action is proof that a machine's agent was reached. */
import type { ApiObject, RunningServer, TimelineRecord } from '@tinkerbell/sandbox';

/** Machines under emulation, on a machine that does other work beside it. */
export const BOOT_LIMIT_MS = 240_000;
const POLL_MS = 250;

export const template: ApiObject = {
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Template',
  metadata: { name: 'reach', namespace: 'default' },
  spec: {
    data: `version: "0.1"
name: reach
global_timeout: 600
tasks:
  - name: reach
    worker: "{{.device_1}}"
    actions:
      - name: wait
        image: quay.io/tinkerbell/actions/cexec:latest
        timeout: 60
`,
  },
};

export function workflowFor(hardware: ApiObject): ApiObject {
  const { interfaces } = hardware['spec'] as { interfaces: { dhcp: { mac: string } }[] };
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'reach', namespace: 'default' },
    spec: {
      templateRef: 'reach',
      hardwareRef: hardware.metadata.name,
      hardwareMap: { device_1: interfaces[0]?.dhcp.mac },
    },
  };
}

/** @throws Error with the timeline and the end of the console when the agent does not come. */
export async function agentServed(
  server: RunningServer,
  hardware: ApiObject,
  { limitMs, tail }: { readonly limitMs: number; readonly tail: () => string },
): Promise<readonly TimelineRecord[]> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const timeline = await timelineOf(server, hardware);
    if (timeline.some(({ event }) => event === 'action-served')) return timeline;
    if (performance.now() > deadline) {
      const lines = timeline.map(({ source, event, message }) => `${source} ${event}: ${message}`);
      throw new Error(
        `no agent after ${limitMs / 1000} s\n${lines.join('\n')}\n--- server\n${server.tail().join('\n')}\n--- console\n${tail()}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function timelineOf(server: RunningServer, hardware: ApiObject): Promise<readonly TimelineRecord[]> {
  const path = `/apis/tinkerbell.org/v1alpha1/namespaces/default/hardware/${hardware.metadata.name}/timeline`;
  const text = await (await fetch(`${server.url}${path}`)).text();
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as TimelineRecord]));
}
