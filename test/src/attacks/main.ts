/** `npm run attack`: runs classes of attack against the real server, in a separate network. */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { attacks } from './attacks.ts';
import { RELAY } from './good-dhcp.ts';
import { runAttacks, type AttackReport } from './run-attacks.ts';
import type { LongWork } from './server-load.ts';

const USAGE = `npm run attack -- [--minutes N] [--seed N] [--only NAME,NAME] [--concurrency N] [--json] [--list]

Attacks a server of its own with hostile packets, requests, tokens, bodies, streams and files, chosen at random within
their classes, in an isolated network (needs root). It fails when data reaches somebody who may not have it, an
answer is a 5xx, memory grows by over 300 MB, a callback or a turn of the event loop takes long, or a good DHCP client waits long.

  --minutes N       how long (default: 1)
  --seed N          repeats a run; an act that fails prints its own (default: random)
  --only NAMES      classes by name; --list prints them
  --concurrency N   acts at one time (default: 4)
  --growth-max N    megabytes the server may grow by (default: 300)
  --callback-max N  processor milliseconds a callback may take (default: 5)
  --turn-max N      the same for a turn of its event loop, which serves many clients (default: 100)
  --dhcp-max N      milliseconds a good DHCP client may wait (default: 20)
  --profile         show what ran in the longest callbacks; it makes them longer, so the run does not count
  --json            the last line is one JSON object
`;

/** Set in the child that has its own network. */
const INSIDE = 'TINKERBELL_ATTACK_INSIDE';

process.removeAllListeners('warning');
process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '1' },
      seed: { type: 'string', default: String(process.hrtime.bigint() % 1_000_000_000n) },
      only: { type: 'string', default: '' },
      concurrency: { type: 'string', default: '4' },
      'growth-max': { type: 'string', default: '300' },
      'callback-max': { type: 'string', default: '5' },
      'turn-max': { type: 'string', default: '100' },
      'dhcp-max': { type: 'string', default: '20' },
      profile: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return print(USAGE, 0);
  if (values.list) return print(attacks.map(({ name }) => `${name}\n`).join(''), 0);
  const names = values.only === '' ? attacks.map(({ name }) => name) : values.only.split(',');
  const unknown = names.find((name) => !attacks.some((one) => one.name === name));
  if (unknown !== undefined) return print(`no class ${unknown}; --list prints them\n`, 2);
  const [minutes, seed, concurrency] = [values.minutes, values.seed, values.concurrency].map(Number);
  if (![minutes, seed, concurrency].every((one) => one !== undefined && one > 0)) return print(USAGE, 2);
  if (process.env[INSIDE] === undefined) return inOwnNetwork();
  const report = await runAttacks({
    attacks: attacks.filter(({ name }) => names.includes(name)),
    minutes: minutes ?? 1,
    seed: seed ?? 1,
    concurrency: concurrency ?? 4,
    growthMaxMegabytes: Number(values['growth-max']),
    callbackMaxMs: Number(values['callback-max']),
    turnMaxMs: Number(values['turn-max']),
    dhcpMaxMs: Number(values['dhcp-max']),
    isProfiled: values.profile,
    onProgress: (line) => void process.stderr.write(`${line}\n`),
  });
  print(shown(report), 0);
  if (values.json) print(`${JSON.stringify(report)}\n`, 0);
  return report.failures.length === 0 ? 0 : 1;
}

function print(text: string, code: number): number {
  process.stdout.write(text);
  return code;
}

/** Runs the same command where port 67 is free and no route leads out. */
function inOwnNetwork(): number {
  if (process.getuid?.() !== 0)
    return print('attacks need root, because they run in a separate network\n', 2);
  const script = `ip link set lo up && ip address add ${RELAY}/32 dev lo && { mount -t tracefs none /sys/kernel/tracing 2>/dev/null; exec "$@"; }`;
  const command = ['--net', '--mount', 'sh', '-c', script, 'sh', process.execPath, import.meta.filename];
  const { status } = spawnSync('unshare', [...command, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, [INSIDE]: '1' },
  });
  return status ?? 1;
}

function shown(report: AttackReport): string {
  const acts = Object.entries(report.acts).map(([name, count]) => `  ${name.padEnd(24)} ${count}\n`);
  const { goodDhcp } = report;
  return [
    `seed ${report.seed}, ${report.minutes} minutes\n`,
    ...acts,
    `seconds with a callback over the limit: ${report.longCallbacks}; the longest callbacks, in processor time:\n`,
    ...report.callbacks.map(callbackText),
    report.knowsStops
      ? `not counted: ${report.stoppedCallbacks} seconds whose callback was over the limit because the host stopped the processor\n`
      : 'this kernel does not show where the host stopped a processor, so such stops count as work\n',
    `longest turn of the event loop: ${report.turn.workedMs.toFixed(1)} ms of processor time, ${report.turn.at} s after the start\n`,
    `longest garbage collection: ${report.collectionMs.toFixed(1)} ms\n`,
    `memory grew by ${report.growthMegabytes} MB, of which ${report.keptMegabytes} MB were kept in the last minute\n`,
    `good DHCP: ${goodDhcp.answered} of ${goodDhcp.sent} answered, median ${goodDhcp.medianMs.toFixed(2)} ms, 99 of 100 within ${goodDhcp.p99Ms.toFixed(1)} ms, slowest ${goodDhcp.slowestMs.toFixed(1)} ms, ${goodDhcp.slowestAt} s after the start\n`,
    `an echo process at the same time: slowest ${goodDhcp.slowestEchoMs.toFixed(1)} ms\n`,
    ...report.failures.map((failure) => `FAILED ${failure}\n`),
  ].join('');
}

function callbackText({ workedMs, stoppedMs, type, at, stacks = [] }: LongWork): string {
  const stopped = stoppedMs === 0 ? '' : `, and the host stopped it for ${stoppedMs.toFixed(1)} ms`;
  const head = `  ${workedMs.toFixed(1)} ms, ${type}, ${at} s after the start${stopped}\n`;
  return head + stacks.map((stack) => `    ${stack}\n`).join('');
}
