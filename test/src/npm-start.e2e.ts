/**
 * Tests `npm start` as a supervisor uses it: a signal to npm stops the server, its exit code is the server's,
 * and nothing remains.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';

const root = join(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

/** Returns the processes of one group that still run, as `pid (name)`. */
function membersOf(group: number): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const [state, , pgrp] = text.slice(text.lastIndexOf(')') + 2).split(' ');
      return Number(pgrp) === group && state !== 'Z' ? [text.slice(0, text.lastIndexOf(')') + 1)] : [];
    } catch {
      return [];
    }
  });
}

/** Starts npm as a child that leads its own process group, as supervisors start it. */
function startNpm(words: readonly string[]) {
  const child = spawn('npm', words, { cwd: root, detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
  const lines: string[] = [];
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const reader = createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
  const group = child.pid ?? assert.fail('npm did not start');
  return {
    child,
    group,
    ended,
    said: () => lines.join('\n'),
    async until(text: string): Promise<void> {
      while (!lines.some((line) => line.includes(text))) {
        const outcome = await Promise.race([once(reader, 'line'), ended.then(() => 'ended' as const)]);
        assert.notEqual(outcome, 'ended', `npm ended before ${text}:\n${lines.join('\n')}`);
      }
    },
    [Symbol.dispose]() {
      if (membersOf(group).length > 0) process.kill(-group, 'SIGKILL');
    },
  };
}

function startServer(directory: string) {
  const ports = ['--http-port', '0', '--tink-server-bind-port', '0', '--local-api-port', '0'];
  const off = ['--dhcp-enabled=false', '--tftp-server-enabled=false', '--syslog-enabled=false'];
  const own = ['--data-dir', directory, '--bind-address', '127.0.0.1', '--log-format', 'json'];
  return startNpm(['start', '--', ...own, ...ports, ...off]);
}

const directory = mkdtempSync(join(tmpdir(), 'tinkerbell-npm-'));
after(() => rmSync(directory, { recursive: true, force: true }));

for (const [title, signal, isForAll] of [
  ['SIGTERM to npm alone', 'SIGTERM', false],
  ['SIGINT to npm alone', 'SIGINT', false],
  ['Ctrl-C, a SIGINT to the whole group that npm forwards again', 'SIGINT', true],
  ['SIGTERM to the whole group', 'SIGTERM', true],
] as const) {
  test(`stops gracefully by ${title}`, async () => {
    using npm = startServer(directory);
    await npm.until('"ready"');
    process.kill(isForAll ? -npm.group : npm.group, signal);
    assert.deepEqual(await npm.ended, [0, null], npm.said());
    assert.deepEqual(membersOf(npm.group), []);
  });
}

test('ends with the exit code of the server', async () => {
  using npm = startNpm(['start', '--', '--http-port', 'x']);
  assert.deepEqual(await npm.ended, [1, null]);
  assert.match(npm.said(), /--http-port must be a whole number/);
});

test('in every script, a program that the set-up starts is replaced by what the command runs', () => {
  for (const [name, line] of Object.entries(manifest.scripts)) {
    assert.doesNotMatch(line, /&&|;/, `${name}: a shell that waits for its last program forwards no signal`);
  }
});
