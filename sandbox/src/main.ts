import { parseArgs } from 'node:util';

import { runDemo, type DemoOutcome } from './demo.ts';
import { createDemoView, type DemoView } from './demo-view.ts';
import type { Firmware } from './firmware.ts';

const FIRMWARES: readonly Firmware[] = ['bios', 'uefi', 'uefi-http'];
const MACHINES_MAX = 16;

const USAGE = `npm run demo [-- --firmware bios|uefi|uefi-http] [-- --machines N] [-- --store sqlite|postgres] [-- --bmc] [-- --json] [-- --keep] [-- --open]

Provisions Debian onto bare virtual machines, from power-on to the login prompt.

  --firmware NAME   bios (default), uefi or uefi-http
  --machines N      how many at once (default 1, at most ${MACHINES_MAX})
  --store NAME      sqlite (default), or postgres: a PostgreSQL of its own is started
  --bmc             machines are off at first and have BMCs; their workflows power them on
  --json            the last line is one JSON object
  --keep            leave everything running until Ctrl-C
  --open            as --keep, and show a link to the web console for a browser on this machine
`;

// The C library creates the private network. A warning about that on every run helps nobody.
process.removeAllListeners('warning');
process.on('warning', (warning) => {
  if (warning.name !== 'ExperimentalWarning') process.stderr.write(`${warning.message}\n`);
});

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      firmware: { type: 'string', default: 'bios' },
      machines: { type: 'string', default: '1' },
      store: { type: 'string', default: 'sqlite' },
      bmc: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      open: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help || positionals[0] !== 'demo') {
    process.stdout.write(USAGE);
    return values.help ? 0 : 2;
  }
  const { firmware, machines, store } = chosen(values);
  const { bmc, keep, open } = values;
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());
  const view = createDemoView(process.stdout);
  const outcome = await runDemo(
    { firmware, machines, store, bmc, open, keep: keep || open, signal: stop.signal },
    view,
  );
  showOutcome(outcome, view);
  if (values.json) process.stdout.write(`${JSON.stringify(outcome)}\n`);
  return outcome.state === 'SUCCESS' && outcome.booted ? 0 : 1;
}

/** Throws with the possible values. */
function chosen(values: { readonly firmware: string; readonly machines: string; readonly store: string }) {
  const firmware = FIRMWARES.find((name) => name === values.firmware);
  if (firmware === undefined)
    throw new Error(`--firmware ${values.firmware}: choose ${FIRMWARES.join(', ')}`);
  const machines = Number(values.machines);
  if (!Number.isInteger(machines) || machines < 1 || machines > MACHINES_MAX) {
    throw new Error(`--machines ${values.machines}: choose a number from 1 to ${MACHINES_MAX}`);
  }
  const { store } = values;
  if (store !== 'sqlite' && store !== 'postgres')
    throw new Error(`--store ${store}: choose sqlite or postgres`);
  return { firmware, machines, store } as const;
}

const STAGE_TITLES: Readonly<Record<string, string>> = {
  firmware: 'firmware to first DHCP',
  bootLoader: 'boot loader to script',
  download: 'kernel and in-memory OS',
  inMemoryOs: 'boot to the agent',
  actions: 'actions',
  restart: 'restart to disk boot',
  operatingSystem: 'Debian to login prompt',
  total: 'power-on to login prompt',
};

function showOutcome(outcome: DemoOutcome, view: DemoView): void {
  for (const machine of outcome.machines) {
    const title = machine.booted
      ? `${machine.name} runs Debian`
      : `${machine.name}: ${machine.state || 'not booted'}`;
    view.heading(title);
    const actions = machine.actions.map(({ name, seconds }): [string, string] => [
      `  ${name}`,
      `${seconds.toFixed(1)} s`,
    ]);
    const stages = Object.entries(machine.stages).filter(([stage]) => stage !== 'total' || machine.booted);
    const rows = stages.flatMap(([stage, seconds]): [string, string][] => {
      const row: [string, string] = [STAGE_TITLES[stage] ?? stage, `${seconds.toFixed(1)} s`];
      return stage === 'actions' ? [row, ...actions] : [row];
    });
    view.table(rows);
  }
  const { readySeconds, residentMegabytes } = outcome.server;
  view.text(`\nServer: ready in ${readySeconds.toFixed(2)} s, ${residentMegabytes} MB resident.`);
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`\ndemo: ${error instanceof Error ? error.message : String(error)}\n`);
  // The exit code alone is not enough: builds that a signal interrupted still run, and the kernel ends them
  // with this process.
  process.exit(1);
}
