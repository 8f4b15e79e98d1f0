import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

const skip = process.getuid?.() === 0 ? false : 'needs root, for a network namespace';

/** Opens the door, enters a private network, and serves there. Prints the port of the door. */
const PROGRAM = `
import { createServer } from 'node:http';
import { openNetworkDoor } from '${new URL('network-door.ts', import.meta.url).href}';
import { enterPrivateNetwork } from '${new URL('private-network.ts', import.meta.url).href}';
const door = await openNetworkDoor(7080);
await enterPrivateNetwork('10.252.0.1');
createServer((request, response) => response.end('inside ' + request.headers.host)).listen(7080, '127.0.0.1', () =>
  console.log(door.port),
);
`;

test('leads into the private network', { skip, timeout: 60_000 }, async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  try {
    const { value: port } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    assert.equal(await answer.text(), `inside 127.0.0.1:${port}`);
    await assert.rejects(fetch('http://127.0.0.1:7080/', { signal: AbortSignal.timeout(2_000) }));
  } finally {
    child.kill();
    await ended;
  }
});
