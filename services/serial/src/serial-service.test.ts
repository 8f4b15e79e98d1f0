/** With OpenSSH's client, and a console in memory. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { BmcError, type OpenedConsole } from '@tinkerbell/engine-bmc';
import { createNodeLog, nodeClock } from '@tinkerbell/platform-node';
import { samplesOf } from '@tinkerbell/platform-metrics';
import type { Authorizer } from '@tinkerbell/platform-contract';
import type { Resource } from '@tinkerbell/resources';
import type { Journal, JournalEntry } from '@tinkerbell/store-contract';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { createStoreView } from '@tinkerbell/store-view';
import { createSerialService } from './index.ts';

const skip = spawnSync('ssh', ['-V']).status !== 0 && 'OpenSSH’s client is not installed';
const log = createNodeLog({ level: 'silent', format: 'json' });
const folder = mkdtempSync(join(tmpdir(), 'serial-'));
const keys = { mine: join(folder, 'mine'), other: join(folder, 'other'), host: join(folder, 'host') };

before(() => {
  if (skip !== false) return;
  for (const path of Object.values(keys))
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path]);
});
after(() => rmSync(folder, { recursive: true }));

/** A machine that repeats what is typed, in capitals. */
function echoingMachine() {
  const opened: { readonly isOpen: boolean }[] = [];
  let fail: Error | undefined;
  const openConsole = (): Promise<OpenedConsole> => {
    if (fail !== undefined) return Promise.reject(fail);
    const state = { isOpen: true };
    opened.push(state);
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    return Promise.resolve({
      provider: 'ipmitool',
      console: {
        output: readable,
        write: (bytes) => writer.write(Buffer.from(Buffer.from(bytes).toString().toUpperCase())),
        [Symbol.asyncDispose]: () => writer.close().catch(() => undefined),
      },
      [Symbol.asyncDispose]: () => {
        state.isOpen = false;
        return writer.close().catch(() => undefined);
      },
    });
  };
  return {
    opened,
    failWith: (error: Error) => void (fail = error),
    connections: { openConsole, close: () => Promise.resolve() },
  };
}

/** Keys decide over SSH. */
const neverAsked = {} as Authorizer;

async function started(machine = echoingMachine(), idleMs = 60_000) {
  const store = createMemoryStore();
  const view = createStoreView({ store, clock: nodeClock, log });
  const stopping = new AbortController();
  const object = (kind: string, name: string, spec: object): Resource => ({
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind,
    metadata: { name, namespace: 'lab', uid: name },
    spec,
  });
  const sshKeys = { metadata: { instance: { ssh_keys: [readFileSync(`${keys.mine}.pub`, 'utf8')] } } };
  const objects: readonly (readonly [string, Resource])[] = [
    [
      'machines.bmc.tinkerbell.org',
      object('Machine', 'bmc', { connection: { host: '192.0.2.9', insecureTLS: true } }),
    ],
    [
      'hardware.tinkerbell.org',
      object('Hardware', 'm1', { ...sshKeys, bmcRef: { kind: 'Machine', name: 'bmc' } }),
    ],
    ['hardware.tinkerbell.org', object('Hardware', 'm2', sshKeys)],
  ];
  for (const [collection, one] of objects) {
    const key = { collection, namespace: 'lab', name: one.metadata.name };
    assert.ok((await store.commit([{ operation: 'create', key, object: one }])).ok);
  }
  await view.start(stopping.signal);
  const timeline: JournalEntry[] = [];
  const journal: Pick<Journal, 'append'> = { append: (entry) => void timeline.push(entry) };
  const service = createSerialService(
    {
      view,
      journal: journal as Journal,
      clock: nodeClock,
      log,
      connections: machine.connections,
      authorizer: neverAsked,
    },
    { address: '127.0.0.1', port: 0, hostKey: readFileSync(keys.host, 'utf8'), idleMs, recordsAll: false },
  );
  await service.start(stopping.signal);
  const children: ChildProcess[] = [];
  const connect = (user: string, key: keyof typeof keys = 'mine', ...words: readonly string[]) => {
    const client = new SshClient(service.port(), { user, key: keys[key], words });
    children.push(client.child);
    return client;
  };
  return {
    service,
    connect,
    timeline,
    async [Symbol.asyncDispose]() {
      for (const child of children) child.kill('SIGKILL');
      stopping.abort();
      await service.stopped();
    },
  };
}

class SshClient {
  readonly child: ChildProcess;
  readonly exited: Promise<number>;
  text = '';

  constructor(port: number, { user, key, words }: { user: string; key: string; words: readonly string[] }) {
    const options = [
      'StrictHostKeyChecking=no',
      'UserKnownHostsFile=/dev/null',
      'IdentitiesOnly=yes',
      'LogLevel=ERROR',
      'BatchMode=yes',
    ];
    // Its own escape character would hide ours.
    const flags = [
      '-tt',
      '-e',
      'none',
      '-F',
      'none',
      '-p',
      String(port),
      '-i',
      key,
      ...options.flatMap((one) => ['-o', one]),
    ];
    this.child = spawn('ssh', [...flags, '-l', user, '127.0.0.1', ...words], { stdio: 'pipe' });
    const take = (part: Buffer): void => void (this.text += part.toString());
    this.child.stdout?.on('data', take);
    this.child.stderr?.on('data', take);
    this.exited = new Promise((resolve) => this.child.on('close', (code) => resolve(code ?? -1)));
  }

  type(text: string): void {
    this.child.stdin?.write(text);
  }

  async until(expected: RegExp): Promise<void> {
    while (!expected.test(this.text)) {
      assert.equal(this.child.exitCode, null, `ssh has ended: ${this.text}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

test('a session with a key of the Hardware types and reads, and ~. ends it', { skip }, async () => {
  const machine = echoingMachine();
  await using site = await started(machine);
  const client = site.connect('m1');
  await client.until(/Second star.*\[Use ~\. to disconnect\]/s);
  client.type('hello\r');
  await client.until(/HELLO/);
  client.type('~.');
  assert.equal(await client.exited, 0);
  assert.match(client.text, /\[disconnected\]/);
  assert.deepEqual(machine.opened, [{ isOpen: false }]);
  assert.deepEqual(
    site.timeline.map(({ event }) => event),
    ['console-opened', 'console-closed'],
  );
});

test('sessions share one console, which stays open for those that remain', { skip }, async () => {
  const machine = echoingMachine();
  await using site = await started(machine);
  const [first, second] = [site.connect('m1'), site.connect('lab/m1')];
  await first.until(/Second star/);
  await second.until(/Second star/);
  first.type('from the first\r');
  await second.until(/FROM THE FIRST/);
  first.type('~.');
  assert.equal(await first.exited, 0);
  second.type('still there\r');
  await second.until(/STILL THERE/);
  assert.deepEqual(machine.opened, [{ isOpen: true }]);
});

test('other keys, unknown machines and passwords are refused', { skip }, async () => {
  await using site = await started();
  for (const client of [site.connect('m1', 'other'), site.connect('nobody')]) {
    assert.equal(await client.exited, 255);
    assert.match(client.text, /Permission denied \(publickey\)/);
  }
  const samples = samplesOf(site.service.metrics ?? { families: () => [] });
  assert.equal(samples['serial_logins_total{outcome="no-such-key"}'], 1);
  assert.equal(samples['serial_logins_total{outcome="no-such-hardware"}'], 1);
});

test('a machine without a BMC and a console that does not open say why', { skip }, async () => {
  const machine = echoingMachine();
  machine.failWith(new BmcError('unreachable', 'ipmitool: no answer from 192.0.2.9:623'));
  await using site = await started(machine);
  const [without, dead] = [site.connect('m2'), site.connect('m1')];
  assert.equal(await without.exited, 1);
  assert.match(without.text, /hardware\/m2 has no BMC: set spec.bmcRef/);
  assert.equal(await dead.exited, 1);
  assert.match(dead.text, /disconnected: unreachable: ipmitool: no answer .*; check spec.connection.host/);
});

test('an error that nobody expected ends the session, and not the server', { skip }, async () => {
  const machine = echoingMachine();
  machine.failWith(new Error('the store is gone'));
  await using site = await started(machine);
  const client = site.connect('m1');
  assert.equal(await client.exited, 1);
  assert.match(client.text, /disconnected: the console cannot be opened; the log of the server says why/);
});

test('an idle session ends, and commands are refused', { skip }, async () => {
  await using site = await started(echoingMachine(), 300);
  const idle = site.connect('m1');
  assert.equal(await idle.exited, 1);
  assert.match(idle.text, /nothing happened for 0 minutes/);
  const command = site.connect('m1', 'mine', 'reboot');
  assert.equal(await command.exited, 1);
  assert.match(command.text, /serial console, which runs no commands/);
});
