/** Webhooks against a real HTTP server. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createMemoryStore } from '@tinkerbell/store-memory';
import {
  acknowledge,
  HandClock,
  hardwareNamed,
  localBoot,
  offer,
  startDoctor,
} from '../testing/running-doctor.ts';
import type { Report } from './report.ts';

const SECRET = new TextEncoder().encode('a secret of 27 characters..');
const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-webhooks-'));
after(() => rmSync(folder, { recursive: true }));

interface Got {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers with each status once, then with 204. */
async function receiver(...statuses: readonly number[]) {
  const got: Got[] = [];
  const left = [...statuses];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      got.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.statusCode = left.shift() ?? 204;
      if (response.statusCode === 307) response.setHeader('location', '/elsewhere');
      response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    got,
    url: `http://127.0.0.1:${port}/hook/of-a-secret-path`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

type Doctor = Awaited<ReturnType<typeof startDoctor>>;

/** Requests need real time, and repetitions the time of the clock. */
async function until(doctor: Doctor, isDone: () => boolean): Promise<void> {
  for (let turn = 0; turn < 400 && !isDone(); turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    await doctor.clock.advance(0.5);
  }
  assert.ok(isDone(), doctor.logged.join('\n'));
}

async function standStill(doctor: Doctor): Promise<void> {
  doctor.append(offer(), acknowledge());
  await doctor.clock.advance(60);
}

const anywhere = { mayConnect: () => true };

test('a verdict is sent once, signed over its time and body, and so is the recovery', async () => {
  await using target = await receiver();
  await using doctor = await startDoctor({ webhooks: { urls: [target.url], secret: SECRET, ...anywhere } });
  await standStill(doctor);
  await until(doctor, () => target.got.length === 1);
  const [{ headers, body } = { headers: {}, body: '' }] = target.got;
  const timestamp = String(headers['x-tinkerbell-timestamp']);
  const expected = createHmac('sha256', SECRET).update(`${timestamp}.${body}`).digest('hex');
  assert.equal(headers['x-tinkerbell-signature'], `sha256=${expected}`);
  assert.ok(Math.abs(Number(timestamp) - doctor.clock.nowMs() / 1000) < 60);
  const report = JSON.parse(body) as Report;
  assert.deepEqual(
    [report.event, report.machine.name, report.verdict.cause, report.id === headers['x-tinkerbell-delivery']],
    ['boot-stopped', 'm1', 'tftp-blocked', true],
  );
  assert.ok(report.verdict.evidence.length > 0 && report.verdict.advice.length > 0);
  doctor.append(localBoot());
  await until(doctor, () => target.got.length === 2);
  assert.equal((JSON.parse(target.got[1]?.body ?? '') as Report).event, 'boot-recovered');
  assert.equal(doctor.counters()['doctor_webhooks_total{result="sent"}'], 2);
});

test('a failed request is repeated with the same id, and no log shows the secret or the path', async () => {
  await using target = await receiver(503, 429);
  await using doctor = await startDoctor({ webhooks: { urls: [target.url], secret: SECRET, ...anywhere } });
  await standStill(doctor);
  await until(doctor, () => target.got.length === 3);
  assert.equal(new Set(target.got.map(({ headers }) => headers['x-tinkerbell-delivery'])).size, 1);
  await until(doctor, () => doctor.counters()['doctor_webhooks_total{result="sent"}'] === 1);
  assert.equal(doctor.counters()['doctor_webhooks_total{result="retried"}'], 2);
  assert.doesNotMatch(doctor.logged.join('\n'), /a secret of 27|of-a-secret-path/);
});

test('a request that the receiver rejects is not repeated, and a redirect is not followed', async () => {
  for (const status of [404, 307]) {
    await using target = await receiver(status);
    await using doctor = await startDoctor({ webhooks: { urls: [target.url], ...anywhere } });
    await standStill(doctor);
    await until(doctor, () => doctor.counters()['doctor_webhooks_total{result="failed"}'] === 1);
    assert.equal(target.got.length, 1);
    assert.equal(target.got[0]?.headers['x-tinkerbell-signature'], undefined);
    assert.match(doctor.logged.join('\n'), new RegExp(`webhook not delivered.*status ${status}`));
  }
});

test('this machine is never notified', async () => {
  await using target = await receiver();
  await using doctor = await startDoctor({ webhooks: { urls: [target.url] } });
  await standStill(doctor);
  await until(doctor, () => (doctor.counters()['doctor_webhooks_total{result="retried"}'] ?? 0) > 0);
  assert.equal(target.got.length, 0);
});

test('the body for Slack is one text, in which machines cannot write links', async () => {
  await using target = await receiver();
  await using doctor = await startDoctor({ webhooks: { urls: [target.url], format: 'slack', ...anywhere } });
  doctor.append({ ...offer(), message: 'discover from <https://evil.example|click>' });
  await doctor.clock.advance(60);
  await until(doctor, () => target.got.length === 1);
  const body = JSON.parse(target.got[0]?.body ?? '') as { text: string };
  assert.deepEqual(Object.keys(body), ['text']);
  assert.match(
    body.text,
    /^\*default\/m1\* does not boot\. .*\(offer-not-accepted\)\n> discover from &lt;https/,
  );
});

test('a report that was not delivered before the server ended is delivered after its start, once', async () => {
  await using target = await receiver();
  const path = join(folder, 'undelivered.db');
  const [store, clock] = [createMemoryStore(), new HandClock()];
  {
    // Nothing listens at the discard port.
    const webhooks = { urls: ['http://127.0.0.1:9/'], ...anywhere };
    await using first = await startDoctor({ path, store, clock, webhooks });
    await standStill(first);
    assert.equal((await first.recorded('boot-stopped')).length, 1);
  }
  for (const count of [1, 1]) {
    const webhooks = { urls: [target.url], ...anywhere };
    await using next = await startDoctor({ path, store, clock, webhooks, objects: [] });
    await until(next, () => target.got.length === count);
    await next.clock.advance(5);
    assert.equal(target.got.length, count);
    assert.equal((await next.recorded('webhook-delivered')).length, 1);
  }
});

test('each URL gets every report, and a slow one delays no other', async () => {
  await using slow = await receiver(500, 500, 500, 500, 500, 500);
  await using fast = await receiver();
  const objects = [hardwareNamed('m1'), hardwareNamed('m2', '52:54:00:00:00:99')];
  await using doctor = await startDoctor({ objects, webhooks: { urls: [slow.url, fast.url], ...anywhere } });
  doctor.append(offer(), offer('52:54:00:00:00:99'));
  await doctor.clock.advance(40);
  await until(doctor, () => fast.got.length === 2);
  await until(doctor, () => slow.got.length >= 8);
});
