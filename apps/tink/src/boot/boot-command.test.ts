/** `tink boot` against the real server, with a boot that consists of a script. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { firmware, START_MS, timelineOf } from '@tinkerbell/diagnosis/testing';
import { runTink } from '../run.ts';
import { createCommandRunner, writeText } from '../testing/command-runner.ts';
import { hardware } from '../testing/manifests.ts';
import { runServer, type RunningServer } from '../testing/running-server.ts';

const MAC = '08:00:27:00:00:01';
let server: RunningServer;
const { tink, done, failed, terminal } = createCommandRunner(() => server);

const askForScript = async (mac: string) =>
  void (await (await fetch(`${server.url}/ipxe/script/${mac}/auto.ipxe`)).text());

describe('tink boot', () => {
  before(async () => {
    server = await runServer();
    const file = writeText(
      server,
      'm.yaml',
      [hardware('m1', MAC), hardware('m2', '08:00:27:00:00:02')].join('---\n'),
    );
    await done(`apply -f ${file}`);
  });
  after(() => server.remove());

  test('reports a machine that was not seen yet', async () => {
    const { code, err } = await tink('boot m2');
    assert.deepEqual(
      [code, err],
      [0, 'm2 has not been seen yet; power it on with network boot first in its boot order\n'],
    );
  });

  test('shows how far a boot got, by name and by MAC, as text and as JSON', async () => {
    await askForScript(MAC);
    const text = await done('boot m1');
    assert.match(text, /^m1: it got its script, but has not requested a kernel/);
    assert.match(text, /\nscript\n +\+0\.00 s +script-served +iPXE script served: hook\n/);
    assert.equal(await done(`boot ${MAC}`), text);
    const page = JSON.parse(await done('boot m1 --json')) as { machine: string; verdict: { state: string } };
    assert.deepEqual([page.machine, page.verdict.state], ['m1', 'underway']);
  });

  test('-w prints the page first, then changes', async () => {
    const recording = terminal();
    const watching = runTink(['boot', 'm2', '-w'], recording);
    await recording.until(/has not been seen yet/);
    await askForScript('08:00:27:00:00:02');
    await recording.until(/m2: it got its script/);
    recording.interrupt();
    assert.equal(await watching, 0);
  });

  test('finds the last boot behind more records than the server returns at once', async () => {
    const served: number[] = [];
    const front = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
      if (!pathname.endsWith('/timeline'))
        return response.end(JSON.stringify({ kind: 'Hardware', metadata: {} }));
      const after = Number(searchParams.get('after'));
      served.push(after);
      const boots = timelineOf([...firmware(0), ...firmware(1000), ...firmware(2000)]);
      const some = boots.filter(({ sequence }) => sequence > after).slice(0, 4);
      response.end(some.map((record) => `${JSON.stringify(record)}\n`).join(''));
    });
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
    const { port } = front.address() as AddressInfo;
    try {
      const page = await done('boot m9 --json', { environment: { TINK_SERVER: `http://127.0.0.1:${port}` } });
      assert.equal((JSON.parse(page) as { startedMs: number }).startedMs, START_MS + 2_000_000);
      assert.deepEqual(served, [0, 4, 6]);
    } finally {
      front.close();
    }
  });

  test('works with a server that has no recordings, and with a role that may not read them', async () => {
    for (const code of [404, 403]) {
      const front = createServer((request, response) => {
        const { pathname } = new URL(request.url ?? '', 'http://localhost');
        if (pathname.endsWith('/log')) {
          response.statusCode = code;
          return response.end(JSON.stringify({ kind: 'Status', code, reason: 'x', message: 'no' }));
        }
        if (!pathname.endsWith('/timeline'))
          return response.end(JSON.stringify({ kind: 'Hardware', metadata: {} }));
        const isFirst = request.url?.includes('after=0') === true;
        const records = isFirst ? timelineOf([...firmware(0)]) : [];
        response.end(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
      });
      front.listen(0, '127.0.0.1');
      await once(front, 'listening');
      const { port } = front.address() as AddressInfo;
      try {
        const environment = { TINK_SERVER: `http://127.0.0.1:${port}` };
        assert.match(await done('boot m9', { environment }), /^m9: /);
      } finally {
        front.close();
      }
    }
  });

  test('rejects invalid options', async () => {
    assert.match(await failed('boot 08:00:27:ff:ff:ff'), /no hardware has the MAC/);
    assert.match(await failed('boot m3'), /not found/);
    assert.equal((await tink('boot m1 --count 0')).code, 2);
  });
});
