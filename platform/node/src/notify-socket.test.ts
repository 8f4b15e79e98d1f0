/** Reports to sockets that Python opens, as systemd opens them. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { openServiceManager, stateText, unixAddress } from './notify-socket.ts';

const hasPython = spawnSync('python3', ['--version']).status === 0;
const skip = process.platform === 'linux' && hasPython ? false : 'needs Linux and python3';
const folder = mkdtempSync(join(tmpdir(), 'notify-socket-'));
after(() => rmSync(folder, { recursive: true }));

/** Prints one line once it listens, then the sender and the text of one datagram, as JSON. */
const RECEIVER = `
import json, socket, struct, sys
name = sys.argv[1]
server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
server.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
server.bind('\\0' + name[1:] if name.startswith('@') else name)
print('listening', flush=True)
text, control, _, _ = server.recvmsg(4096, 1024)
print(json.dumps({'pid': struct.unpack('iii', control[0][2])[0], 'text': text.decode()}), flush=True)
`;

for (const [kind, name] of [
  ['a path', join(folder, 'notify')],
  ['an abstract name', `@tinkerbell-test-${process.pid}`],
] as const)
  test(`a manager at ${kind} gets the state, from this process`, { skip, timeout: 120_000 }, async () => {
    const child = spawn('python3', ['-c', RECEIVER, name], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'close');
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    assert.equal((await lines.next()).value, 'listening');
    const manager = await openServiceManager({ NOTIFY_SOCKET: name });
    assert.ok(manager !== undefined);
    assert.equal(manager.watchdogMs, undefined);
    manager.notify({ READY: '1', STATUS: 'serving' });
    const { value } = await lines.next();
    assert.deepEqual(JSON.parse(String(value)), { pid: process.pid, text: 'READY=1\nSTATUS=serving\n' });
    await ended;
    // Nobody listens any more.
    manager.notify({ STOPPING: '1' });
    manager.close();
    manager.notify({ STOPPING: '1' });
  });

test('a process without a service manager reports to nobody', async () => {
  assert.equal(await openServiceManager({}), undefined);
  assert.equal(await openServiceManager({ NOTIFY_SOCKET: 'vsock:2:1234' }), undefined);
});

test('the watchdog is that of this process', { skip: process.platform !== 'linux' }, async () => {
  const watchdogMs = async (environment: Readonly<Record<string, string>>) => {
    const manager = await openServiceManager({ NOTIFY_SOCKET: '/nowhere', ...environment });
    manager?.close();
    return manager?.watchdogMs;
  };
  assert.equal(await watchdogMs({ WATCHDOG_USEC: '60000000' }), 60_000);
  assert.equal(await watchdogMs({ WATCHDOG_USEC: '60000000', WATCHDOG_PID: String(process.pid) }), 60_000);
  assert.equal(await watchdogMs({ WATCHDOG_USEC: '60000000', WATCHDOG_PID: '1' }), undefined);
  assert.equal(await watchdogMs({ WATCHDOG_USEC: '0' }), undefined);
  assert.equal(await watchdogMs({ WATCHDOG_USEC: 'soon' }), undefined);
});

test('a value cannot begin another variable', () => {
  assert.equal(new TextDecoder().decode(stateText({ STATUS: 'a\nREADY=1' })), 'STATUS=a READY=1\n');
});

test('an address is a path with its end, or a name without one', () => {
  // Family 1 in host order, the path, and the zero byte that ends it.
  assert.deepEqual([...(unixAddress('/a') ?? [])], [1, 0, 47, 97, 0]);
  // Family 1, the zero byte of the abstract namespace, the name.
  assert.deepEqual([...(unixAddress('@a') ?? [])], [1, 0, 0, 97]);
  assert.equal(unixAddress(`/${'a'.repeat(106)}`)?.length, 2 + 108);
  assert.equal(unixAddress(`/${'a'.repeat(107)}`), undefined);
  for (const name of ['', '/', '@', 'relative']) assert.equal(unixAddress(name), undefined, name);
});
