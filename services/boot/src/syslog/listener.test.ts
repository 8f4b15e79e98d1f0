/** Tests the syslog receiver with real senders: util-linux' logger in both formats, and busybox' syslogd. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Log, LogFields } from '@tinkerbell/platform-contract';
import { MetricSet, samplesOf } from '@tinkerbell/platform-metrics';
import type { JournalEntry } from '@tinkerbell/store-contract';
import { nodeClock, nodeUdp } from '@tinkerbell/platform-node';
import { createBootMetrics } from '../metrics.ts';
import { SyslogListener } from './listener.ts';
import {
  fixedView,
  machine,
  MAC,
  rackConfig,
  recordingJournal,
  silentLog,
  startRack,
} from '../testing/rack.ts';

const run = promisify(execFile);
const LOGGER = '/usr/bin/logger';
const BUSYBOX = '/usr/bin/busybox';

interface Line {
  readonly level: 'debug' | 'info' | 'warn';
  readonly message: string;
  readonly fields: LogFields;
}

/** A receiver on loopback, whose one machine has the address `machineAddress`. */
async function receiver(machineAddress = '127.0.0.1') {
  const lines: Line[] = [];
  const waiting = new Set<() => void>();
  const write =
    (level: Line['level']) =>
    (message: string, fields: LogFields = {}) => {
      lines.push({ level, message, fields });
      for (const look of waiting) look();
    };
  const log: Log = { ...silentLog, debug: write('debug'), info: write('info'), warn: write('warn') };
  const { tftp: _, ...base } = rackConfig();
  const rack = await startRack(
    { ...base, syslog: { address: '127.0.0.1', port: 0 } },
    { view: fixedView([machine({ ip: { address: machineAddress } })]), log },
  );
  const received = () => lines.filter(({ message }) => message === 'syslog message');
  return {
    rack,
    lines,
    received,
    port: rack.service.syslogPort() ?? 0,
    /** Resolves when that many messages have arrived. */
    messages: (count: number) =>
      new Promise<void>((resolve) => {
        const look = () => received().length >= count && resolve();
        waiting.add(look);
        look();
      }),
  };
}

async function sendTo({ port }: { readonly port: number }, datagrams: readonly Uint8Array[]): Promise<void> {
  const socket = createSocket('udp4');
  for (const bytes of datagrams)
    await new Promise<void>((done, fail) =>
      socket.send(bytes, port, '127.0.0.1', (error) => (error === null ? done() : fail(error))),
    );
  socket.close();
}

const textBytes = (text: string) => new TextEncoder().encode(text);
const seen = ({ event, machine, message, details }: JournalEntry) => [event, machine, message, details];

test(
  'logger in both formats: messages enter the timeline of the machine, and the log with all fields',
  { skip: existsSync(LOGGER) ? false : `${LOGGER} is not installed` },
  async () => {
    const to = await receiver();
    const server = ['--server', '127.0.0.1', '--port', String(to.port), '--udp'];
    const modern = ['--rfc5424', '-t', 'app', '-p', 'daemon.warning', '--id=77', '--msgid=M1'];
    const data = ['--sd-id', 'x@1', '--sd-param', 'a="b\\]c"'];
    await run(LOGGER, [...server, ...modern, ...data, 'hello 5424 é']);
    await run(LOGGER, [...server, '--rfc3164', '-t', 'old', '-p', 'local7.debug', 'hello 3164']);
    await to.messages(2);
    await to.rack.stop();
    const hostname = String(to.received()[0]?.fields['hostname']);
    assert.deepEqual(to.rack.journal.entries.map(seen), [
      [
        'message-received',
        MAC,
        'app[77]: hello 5424 é',
        { facility: 'daemon', severity: 'WARNING', hostname, msgid: 'M1' },
      ],
      ['message-received', MAC, 'old: hello 3164', { facility: 'local7', severity: 'DEBUG', hostname }],
    ]);
    assert.deepEqual(
      to.received().map(({ level }) => level),
      ['info', 'debug'],
    );
    const { 'structured-data': elements, ...fields } = to.received()[0]?.fields ?? {};
    assert.deepEqual(fields, {
      facility: 'daemon',
      severity: 'WARNING',
      hostname,
      'app-name': 'app',
      procid: '77',
      msgid: 'M1',
      msg: 'hello 5424 é',
      host: '127.0.0.1',
    });
    assert.deepEqual((elements as unknown[]).at(-1), {
      id: 'x@1',
      parameters: [{ name: 'a', value: 'b]c' }],
    });
  },
);

function whyNoBusybox(): string | false {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'a private /dev needs root on Linux';
  const missing = [BUSYBOX, '/usr/bin/unshare'].find((program) => !existsSync(program));
  return missing === undefined ? false : `${missing} is not installed`;
}

/**
 * syslogd needs /dev/log. It runs in a mount namespace, so that the host's stays unchanged, and ends with its
 * standard input.
 */
const BUSYBOX_SCRIPT = `mount -t tmpfs none /dev && : > /dev/null
busybox syslogd -n -R 127.0.0.1:$PORT & syslogd=$!
until [ -S /dev/log ]; do busybox usleep 20000; done
busybox logger -t bbtag -p user.err 'from busybox'
read end
kill $syslogd`;

test("busybox' logger through its syslogd, which sends no host name", { skip: whyNoBusybox() }, async () => {
  const to = await receiver();
  const child = spawn('unshare', ['--mount', 'sh', '-c', BUSYBOX_SCRIPT], {
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ...process.env, PORT: String(to.port) },
  });
  const ended = new Promise((done) => child.once('close', done));
  await to.messages(1);
  child.stdin.end();
  await ended;
  await to.rack.stop();
  assert.deepEqual(to.rack.journal.entries.map(seen), [
    ['message-received', MAC, 'bbtag: from busybox', { facility: 'user', severity: 'ERR' }],
  ]);
});

test('messages of an unknown sender are logged and counted, and in no timeline', async () => {
  const to = await receiver('192.168.77.10');
  await sendTo(to, [textBytes('<30>ipxe: Booting')]);
  await to.messages(1);
  await to.rack.stop();
  assert.deepEqual(to.rack.journal.entries, []);
  const counted = Object.entries(samplesOf(to.rack.service.metrics)).filter(([, count]) => count > 0);
  assert.deepEqual(counted, [['syslog_messages_total{severity="INFO",sender="unknown"}', 1]]);
});

test('a flood is limited, counted and reported', async () => {
  const journal = recordingJournal();
  const set = new MetricSet();
  const counted = (name: string): number => samplesOf(set)[name] ?? 0;
  const dropped = 'syslog_dropped_total{reason="too-many"}';
  const taken = 'syslog_messages_total{severity="INFO",sender="known"}';
  const view = fixedView([machine({ ip: { address: '127.0.0.1' } })]);
  const listener = new SyslogListener({
    deps: { udp: nodeUdp, clock: nodeClock, log: silentLog, view, journal },
    config: { address: '127.0.0.1', port: 0 },
    metrics: createBootMetrics(set),
    limits: { messagesPerSecond: 0, burst: 20, sendersMax: 10, reportAfterMs: 60_000 },
  });
  await listener.start();
  const port = listener.local?.port ?? 0;
  await sendTo(
    { port },
    Array.from({ length: 50 }, (_, index) => textBytes(`<14>flood: ${index}`)),
  );
  while (counted(dropped) + counted(taken) < 50) await new Promise(setImmediate);
  await listener.stop();
  assert.equal(counted(dropped), 30);
  assert.deepEqual(
    journal.entries.map(({ event }) => event),
    [...Array.from({ length: 20 }, () => 'message-received'), 'messages-dropped'],
  );
  assert.deepEqual(journal.entries.at(-1)?.details, { count: 30 });
});

test('long, empty and malformed datagrams do no harm, and a timeline text has a limit', async () => {
  const to = await receiver();
  await sendTo(to, [
    new Uint8Array(),
    new Uint8Array(40_000).fill(0xff),
    textBytes(`<14>${'x'.repeat(5_000)}`),
    textBytes('<14>\u001b[2J'),
  ]);
  await to.messages(4);
  await to.rack.stop();
  const [empty, bytes, long, control] = to.rack.journal.entries.map(({ message }) => message);
  assert.equal(empty, '');
  assert.match(bytes ?? '', /^(\\xff){500,512}.{0,3}…$/);
  assert.equal(long, `${'x'.repeat(2_047)}…`);
  assert.equal(control, String.raw`\x1b[2J`);
  assert.equal(samplesOf(to.rack.service.metrics)['syslog_cut_total'], 1);
});
