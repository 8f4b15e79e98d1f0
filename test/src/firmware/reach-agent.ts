/** A Workflow whose first action proves that a machine's agent was reached. */
import type { ApiObject, Machine, RunningServer, TimelineRecord } from '@tinkerbell/sandbox';

/** Emulation on a busy machine is slow. A machine that hangs prints nothing and requests nothing. */
const SILENCE_LIMIT_MS = 150_000;
/** The limit for a machine that starts repeatedly. */
const BOOT_LIMIT_MS = 10 * 60_000;
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

interface Boot {
  readonly server: Pick<RunningServer, 'url' | 'request' | 'tail'>;
  readonly hardware: ApiObject;
  readonly machine: Machine;
  /** Called when the machine hung and was reset. */
  readonly onStandstill: (report: string) => void;
}

/**
 * A machine that hangs is reset once, as an operator would do: firmware has time-outs, and its emulator may
 * have had no processor meanwhile.
 *
 * @throws Error with the timeline and the end of the console when the agent does not connect.
 */
export async function agentReached(boot: Boot): Promise<readonly TimelineRecord[]> {
  try {
    return await agentServed(boot);
  } catch (thrown) {
    if (!(thrown instanceof Standstill)) throw thrown;
    boot.onStandstill(thrown.message);
    await boot.machine.reset();
    return agentServed(boot);
  }
}

class Standstill extends Error {}

function agentServed(boot: Boot): Promise<readonly TimelineRecord[]> {
  return Promise.race([
    actionServed(boot),
    boot.machine.failed.then((reason) => Promise.reject(new Error(`${reason}\n${consoleOf(boot)}`))),
  ]);
}

async function actionServed(boot: Boot): Promise<readonly TimelineRecord[]> {
  const startedMs = performance.now();
  let [progress, progressMs] = ['', startedMs];
  for (;;) {
    const timeline = await timelineOf(boot.server, boot.hardware);
    if (timeline.some(({ event }) => event === 'action-served')) return timeline;
    const nowMs = performance.now();
    const seen = `${timeline.length} ${boot.machine.serial.bytes}`;
    if (seen !== progress) [progress, progressMs] = [seen, nowMs];
    const isSilent = nowMs - progressMs > SILENCE_LIMIT_MS;
    if (isSilent || nowMs - startedMs > BOOT_LIMIT_MS) {
      const seconds = (since: number): string => ((nowMs - since) / 1000).toFixed(0);
      throw new (isSilent ? Standstill : Error)(
        `no agent after ${seconds(startedMs)} s, silent for ${seconds(progressMs)} s\n${report(boot, timeline)}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function report(boot: Boot, timeline: readonly TimelineRecord[]): string {
  const lines = timeline.map(({ source, event, message }) => `${source} ${event}: ${message}`);
  return [...lines, '--- server', ...boot.server.tail(), '--- console', consoleOf(boot)].join('\n');
}

function consoleOf({ machine }: Boot): string {
  return machine.serial.tail(40).join('\n');
}

async function timelineOf(server: Boot['server'], hardware: ApiObject): Promise<readonly TimelineRecord[]> {
  const path = `/apis/tinkerbell.org/v1alpha1/namespaces/default/hardware/${hardware.metadata.name}/timeline`;
  const text = await (await server.request(`${server.url}${path}`)).text();
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as TimelineRecord]));
}
