/**
 * Tests a client, a relay and a server, each in its own network namespace and joined by two cables. busybox's
 * udhcpc is the client. Our relay or ISC's forwards. Kea, dnsmasq or our boot service answers.
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);

const CLIENT = `relay-c-${process.pid}`;
const RELAY = `relay-r-${process.pid}`;
const SERVER = `relay-s-${process.pid}`;
/** Also the MAC and address of the one machine that the boot service of `services/boot/testdata` knows. */
const MAC = '02:00:5e:10:00:01';
const RESERVED = '192.168.77.10';
const RELAY_ADDRESS = '192.168.77.254';
const RELAY_UPSTREAM = '10.77.0.1';
const SERVER_ADDRESS = '10.77.0.2';
const PROGRAMS = {
  busybox: '/usr/bin/busybox',
  kea: '/usr/sbin/kea-dhcp4',
  dnsmasq: '/usr/sbin/dnsmasq',
  isc: '/usr/sbin/dhcrelay',
};

const ip = (...words: string[]) => execFileSync('ip', words, { stdio: 'pipe' });

function whyNot(): string | false {
  if (process.platform !== 'linux') return 'network namespaces are Linux only';
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  const missing = Object.values(PROGRAMS).find((program) => !existsSync(program));
  if (missing !== undefined) return `${missing} is not installed`;
  try {
    ip('netns', 'add', CLIENT);
    return false;
  } catch {
    return 'network namespaces cannot be created here';
  }
}

const skip = whyNot();
let directory: string;

function joinNamespaces(): void {
  for (const namespace of [RELAY, SERVER]) ip('netns', 'add', namespace);
  ip('link', 'add', 'c0', 'netns', CLIENT, 'type', 'veth', 'peer', 'name', 'r0', 'netns', RELAY);
  ip('link', 'add', 'r1', 'netns', RELAY, 'type', 'veth', 'peer', 'name', 's0', 'netns', SERVER);
  ip('-n', CLIENT, 'link', 'set', 'c0', 'address', MAC);
  for (const [namespace, name, address] of [
    [RELAY, 'r0', `${RELAY_ADDRESS}/24`],
    [RELAY, 'r1', `${RELAY_UPSTREAM}/24`],
    [SERVER, 's0', `${SERVER_ADDRESS}/24`],
  ] as const) {
    ip('-n', namespace, 'address', 'add', address, 'dev', name);
    ip('-n', namespace, 'link', 'set', name, 'up');
  }
  ip('-n', CLIENT, 'link', 'set', 'c0', 'up');
  ip('-n', SERVER, 'route', 'add', '192.168.77.0/24', 'via', RELAY_UPSTREAM);
}

interface Program {
  /** Resolves when the output matches, now or later. */
  printed(pattern: RegExp): Promise<void>;
  stop(): Promise<void>;
}

interface Start {
  readonly namespace: string;
  readonly command: readonly string[];
  readonly ready: RegExp;
  readonly environment?: Record<string, string>;
}

/** Resolves when the program has printed what `ready` matches. */
async function start({ namespace, command, ready, environment = {} }: Start): Promise<Program> {
  const child = spawn('ip', ['netns', 'exec', namespace, ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  let output = '';
  const waiting = new Set<() => void>();
  const onOutput = (chunk: Buffer) => {
    output += chunk.toString();
    for (const look of waiting) look();
  };
  const printed = (pattern: RegExp) =>
    new Promise<void>((resolve) => {
      const look = () => pattern.test(output) && resolve();
      waiting.add(look);
      look();
    });
  child.stdout.on('data', onOutput);
  child.stderr.on('data', onOutput);
  const ended = new Promise<void>((done) => child.once('close', () => done()));
  const failed = ended.then(() => {
    throw new Error(`${command[0]} ended: ${output}`);
  });
  await Promise.race([printed(ready), failed]);
  failed.catch(() => {});
  return {
    printed,
    async stop() {
      child.kill();
      await ended;
    },
  };
}

const ours = (settings: object = {}) =>
  start({
    namespace: RELAY,
    command: [
      process.execPath,
      new URL('./testing/serve.ts', import.meta.url).pathname,
      JSON.stringify({
        downstream: [{ networkInterface: 'r0' }],
        servers: [{ address: SERVER_ADDRESS }],
        settings: { hopsMax: 16, ...settings },
      }),
    ],
    ready: /^ready$/m,
  });

const isc = () =>
  start({
    namespace: RELAY,
    command: [PROGRAMS.isc, '-4', '-d', '--no-pid', '-a', '-id', 'r0', '-iu', 'r1', SERVER_ADDRESS],
    ready: /Sending on +Socket\/fallback/,
  });

function kea(): Promise<Program> {
  const file = join(directory, 'kea.json');
  const pools = [{ pool: '192.168.77.50 - 192.168.77.99' }];
  const subnet = { id: 1, subnet: '192.168.77.0/24', pools };
  const configuration = {
    'interfaces-config': { interfaces: ['s0'], 'dhcp-socket-type': 'udp' },
    'lease-database': { type: 'memfile', persist: false },
    'valid-lifetime': 3600,
    loggers: [{ name: 'kea-dhcp4', severity: 'INFO', output_options: [{ output: 'stdout' }] }],
    subnet4: [subnet],
  };
  writeFileSync(file, JSON.stringify({ Dhcp4: configuration }));
  return start({
    namespace: SERVER,
    command: [PROGRAMS.kea, '-c', file],
    ready: /DHCP4_STARTED/,
    environment: {
      KEA_PIDFILE_DIR: directory,
      KEA_LOCKFILE_DIR: directory,
      KEA_LOGGER_DESTINATION: 'stdout',
    },
  });
}

const dnsmasq = () =>
  start({
    namespace: SERVER,
    command: [
      PROGRAMS.dnsmasq,
      '--keep-in-foreground',
      '--log-facility=-',
      '--log-dhcp',
      '--conf-file=/dev/null',
      '--user=root',
      '--port=0',
      '--no-ping',
      '--interface=s0',
      '--dhcp-range=192.168.77.50,192.168.77.99,255.255.255.0,1h',
      `--dhcp-leasefile=${join(directory, 'leases')}`,
      `--pid-file=${join(directory, 'dnsmasq.pid')}`,
    ],
    ready: /DHCP, IP range/,
  });

const bootService = () =>
  start({
    namespace: SERVER,
    command: [
      process.execPath,
      new URL('../../boot/src/testing/serve.ts', import.meta.url).pathname,
      JSON.stringify({ ipxeDirectory: directory, networkInterfaces: ['s0'], singlePort: false }),
    ],
    ready: /^ready$/m,
  });

/** Returns the values that udhcpc passes to its script, as a record. */
async function lease(...words: string[]): Promise<Record<string, string>> {
  const script = join(directory, 'lease.sh');
  writeFileSync(script, '#!/bin/sh\n[ "$1" = bound ] && env > "$0.env"\nexit 0\n', { mode: 0o755 });
  rmSync(`${script}.env`, { force: true });
  const udhcpc = ['udhcpc', '-f', '-q', '-n', '-t', '5', '-T', '1', '-i', 'c0', '-s', script, ...words];
  await run('ip', ['netns', 'exec', CLIENT, PROGRAMS.busybox, ...udhcpc], { timeout: 20_000 });
  const text = readFileSync(`${script}.env`, 'utf8');
  return Object.fromEntries(text.split('\n').map((line) => line.split(/=(.*)/s).slice(0, 2)));
}

/** The log of our relay for an OFFER and an ACK that were sent this way. */
const twice = (way: string) => new RegExp(`(?:"DHCP reply relayed".*"way":"${way}"[^]*){2}`);

async function withPrograms(
  programs: readonly (() => Promise<Program>)[],
  use: (running: readonly Program[]) => Promise<void>,
): Promise<void> {
  const running: Program[] = [];
  try {
    for (const each of programs) running.push(await each());
    await use(running);
  } finally {
    for (const each of running.reverse()) await each.stop();
  }
}

describe('a relay between foreign clients and servers', { skip }, () => {
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'relay-interop-'));
    joinNamespaces();
  });
  after(() => {
    for (const namespace of [CLIENT, RELAY, SERVER]) ip('netns', 'delete', namespace);
    rmSync(directory, { recursive: true });
  });

  for (const [flag, way] of [
    ['-B', 'broadcast'],
    [undefined, 'link-layer'],
  ] as const) {
    test(`udhcpc gets a lease of Kea through ours by ${way}`, async () => {
      const information = {
        linkSelection: false,
        serverIdentifierOverride: false,
        ofOtherRelays: 'forward',
        trustsClients: false,
      };
      await withPrograms([kea, () => ours({ information })], async ([, relay]) => {
        const got = await lease(...(flag === undefined ? [] : [flag]));
        assert.match(got['ip'] ?? '', /^192\.168\.77\.[5-9]\d$/);
        assert.equal(got['serverid'], SERVER_ADDRESS);
        await relay!.printed(twice(way));
      });
    });
  }

  test('dnsmasq chooses the subnet by link selection, and lets the relay act for it', async () => {
    const information = {
      linkSelection: true,
      serverIdentifierOverride: true,
      ofOtherRelays: 'forward',
      trustsClients: false,
    };
    await withPrograms(
      [dnsmasq, () => ours({ information, relayAddress: RELAY_UPSTREAM })],
      async ([server, relay]) => {
        const got = await lease();
        assert.match(got['ip'] ?? '', /^192\.168\.77\.[5-9]\d$/);
        assert.equal(got['serverid'], RELAY_ADDRESS);
        await relay!.printed(twice('link-layer'));
        await server!.printed(/DHCPACK\(s0\)/);
      },
    );
  });

  for (const [name, relay] of [
    ['ours', () => ours()],
    ["ISC's", isc],
  ] as const) {
    for (const flags of [['-B'], []]) {
      test(`udhcpc ${flags.join('')} gets its reservation of our boot service through ${name}`, async () => {
        await withPrograms([bootService, relay], async ([server]) => {
          assert.equal((await lease(...flags))['ip'], RESERVED);
          await server!.printed(/"event":"acknowledge-sent"/);
        });
      });
    }
  }
});
