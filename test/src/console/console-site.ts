/** A server with machines, templates, workflows in every state and their timelines, for tests of the web console and its pictures. */
import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, credentials } from '@grpc/grpc-js';
import { create } from '@bufbuild/protobuf';
import {
  ActionRequestSchema,
  ActionStatusRequestSchema,
  StateType,
  WorkflowService,
  type ActionResponse,
} from '@tinkerbell/api/agent';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import { createNodeLog, nodeClock } from '@tinkerbell/platform-node';
import { freePort } from '@tinkerbell/sandbox/free-port';
import { openSqliteJournal } from '@tinkerbell/store-journal';
import { openSqliteLeaseBook } from '@tinkerbell/store-sqlite';
import type { JournalRecord } from '@tinkerbell/store-contract';
import { accountToken } from '../account-token.ts';
import { unaryCall } from '../crash/simulated-agent.ts';
import { startServer, type ServerChild } from '../start-server.ts';
import { bootRecords, outputRecords } from './booted-machine.ts';
import { listenAsAgent } from './neighbour-agent.ts';
import {
  EARLIER,
  EARLIER_STATUS,
  earlierRun,
  hardware,
  BMCS,
  bmcMachine,
  macOf,
  TEMPLATE,
  WARNING,
  workflow,
} from './site-objects.ts';

const OBJECTS = '/apis/tinkerbell.org/v1alpha1/namespaces/default';
const METHODS = serviceDefinition(WorkflowService);
export const HOSTILE = '<img src=x onerror="window.hacked=1">';
/** Colours, a title, a link and a carriage return, as programs print them and attackers use them. */
const OUTPUT = [
  'image2disk: http://192.168.56.4:7080/images/debian-12.img.zst',
  '\u001b[32m 25 %\u001b[0m 512 MiB at 84 MiB/s',
  '\u001b]0;owned\u0007\u001b[32m 50 %\u001b[0m 1024 MiB at 86 MiB/s',
  `host says ${HOSTILE}`,
  ' 75 % 1536 MiB at 85 MiB/s\r100 % 2048 MiB at 86 MiB/s',
  'synced, 23.8 s',
];

const POOL = '--dhcp-pool=192.168.56.110-192.168.56.119/24';

export interface ConsoleSite extends AsyncDisposable {
  readonly server: ServerChild;
  /** Sends a request as the administrator. Rejects unless it succeeds. */
  readonly ask: (path: string, method?: string, body?: object) => Promise<Record<string, unknown>>;
  /** The token of a new account with a built-in role. */
  tokenOf(role: string): Promise<string>;
  /** Reports the next action of the machine, as its agent. */
  readonly report: (mac: string, state: 'RUNNING' | 'SUCCESS' | 'FAILED', message?: string) => Promise<void>;
  /** Connects the agent of a machine, which answers trials. The returned function ends it. */
  listen(mac: string): Promise<() => void>;
}

/** `more` is added to its journal before it starts. */
export async function startConsoleSite(
  flags: readonly string[] = [],
  more: readonly Omit<JournalRecord, 'sequence'>[] = [],
): Promise<ConsoleSite> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'tinkerbell-console-'));
  await writeTimelines(join(dataDirectory, 'tinkerbell.db'), more);
  const grpc = await freePort();
  const server = await startServer({
    dataDirectory,
    flags: [`--tink-server-bind-port=${grpc}`, '--console-login-link', POOL, ...flags],
  });
  const client = new Client(`127.0.0.1:${grpc}`, credentials.createInsecure());
  const agent: Agent = { client, running: new Map() };
  const ask = askAt(server);
  let accounts = 0;
  return {
    server,
    ask,
    tokenOf: (role) => accountToken(server, { name: `${role}-${++accounts}`, role }),
    report: (mac, state, message = '') => reportAs(agent, { mac, state, message }),
    listen: (mac) => listenAsAgent(client, mac),
    async [Symbol.asyncDispose]() {
      client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

function askAt({ request, url }: ServerChild): ConsoleSite['ask'] {
  return async (path, method = 'GET', body) => {
    const sent = { body: JSON.stringify(body), headers: { 'content-type': contentType(method) } };
    const response = await request(`${url}${path}`, { method, ...(body === undefined ? {} : sent) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
}

interface Report {
  readonly mac: string;
  readonly state: 'RUNNING' | 'SUCCESS' | 'FAILED';
  readonly message: string;
}

/** A running action is reported again when it ends, as agents do. */
async function reportAs(agent: Agent, { mac, state, message }: Report): Promise<void> {
  const { action, startMs } = agent.running.get(mac) ?? {
    action: await nextAction(agent, mac),
    startMs: performance.now(),
  };
  if (state === 'RUNNING') agent.running.set(mac, { action, startMs });
  else agent.running.delete(mac);
  const { workflowId, taskId, actionId, name } = action;
  const request = create(ActionStatusRequestSchema, {
    workflowId,
    agentId: mac,
    taskId,
    actionId,
    actionName: name,
    actionState: StateType[state],
    executionDuration: state === 'RUNNING' ? '' : `${((performance.now() - startMs) / 1000).toFixed(3)}s`,
    message: { message },
  });
  await unaryCall(agent.client, { method: METHODS.reportActionStatus, request, deadlineMs: 10_000 });
}

interface Agent {
  readonly client: Client;
  readonly running: Map<string, { readonly action: ActionResponse; readonly startMs: number }>;
}

async function nextAction({ client }: Agent, mac: string): Promise<ActionResponse> {
  const request = create(ActionRequestSchema, { agentId: mac });
  const next = await unaryCall(client, { method: METHODS.getAction, request, deadlineMs: 10_000 });
  if (!next.ok) throw new Error(`no action for ${mac}: ${next.code}`);
  return next.value;
}

function contentType(method: string): string {
  return method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
}

/** Machines, and workflows that wait, run, have failed, have succeeded and are paused. */
/** `failure` is what the machine reports that fails. */
export async function furnish(
  site: ConsoleSite,
  failure = `/dev/sda1: no such device ${HOSTILE}`,
): Promise<void> {
  const { ask, report } = site;
  await ask(`${OBJECTS}/templates`, 'POST', TEMPLATE);
  for (let number = 1; number <= BMCS; number++)
    await ask('/apis/bmc.tinkerbell.org/v1alpha1/namespaces/default/machines', 'POST', bmcMachine(number));
  await ask('/api/v1/namespaces/default/events', 'POST', WARNING);
  for (let number = 1; number <= 24; number++) await ask(`${OBJECTS}/hardware`, 'POST', hardware(number));
  await ask(`${OBJECTS}/workflows`, 'POST', earlierRun(1));
  await ask(`${OBJECTS}/workflows/${EARLIER}/status`, 'PATCH', { status: EARLIER_STATUS });
  const states = ['fails', 'succeeds', 'runs', 'pauses', 'waits'] as const;
  await addImage(site.server);
  for (const [index, state] of states.entries()) {
    const number = index + 1;
    await ask(`${OBJECTS}/workflows`, 'POST', workflow(number));
    await until(async () => {
      const made = await ask(`${OBJECTS}/workflows/node-${number}-debian`);
      return (made['status'] as { state?: string } | undefined)?.state === 'PENDING';
    });
    const mac = macOf(number);
    if (state === 'waits') continue;
    await report(mac, 'RUNNING');
    if (state === 'runs') continue;
    await report(mac, 'SUCCESS');
    if (state === 'pauses') {
      await ask(`${OBJECTS}/workflows/node-${number}-debian/pause`, 'POST', {
        why: 'the switch is replaced',
      });
      continue;
    }
    await report(mac, 'RUNNING');
    if (state === 'fails') await report(mac, 'FAILED', failure);
    else {
      await report(mac, 'SUCCESS');
      await report(mac, 'RUNNING');
      await report(mac, 'SUCCESS');
    }
  }
}

const IMAGE_BYTES = 1024 * 1024;

/** With the command that the page of images shows while it is empty. */
async function addImage({ dataDirectory }: ServerChild): Promise<void> {
  const file = join(dataDirectory, 'debian-12.img');
  writeFileSync(file, Buffer.alloc(IMAGE_BYTES, 'x'));
  await promisify(execFile)(
    join(import.meta.dirname, '../../../bin/tink'),
    ['image', 'add', file, 'disks/debian:12'],
    {
      env: { ...process.env, TINKERBELL_DATA_DIR: dataDirectory },
    },
  );
}

async function writeTimelines(path: string, more: readonly Omit<JournalRecord, 'sequence'>[]): Promise<void> {
  const journal = openSqliteJournal({
    path,
    clock: nodeClock,
    log: createNodeLog({ level: 'error', format: 'json' }),
  });
  const nowMs = Date.now();
  const story = { workflow: 'default/node-1-debian', mac: macOf(1), fails: true };
  const earlier = { ...story, startMs: nowMs - 3 * 3_600_000 };
  const latest = { ...story, startMs: nowMs - 32_000, isOfBootOnly: true };
  const success = {
    mac: macOf(2),
    workflow: 'default/node-2-debian',
    startMs: nowMs - 900_000,
    fails: false,
  };
  const entries = [earlier, success, latest].flatMap((one) => bootRecords(one));
  const running = { ...success, workflow: 'default/node-3-debian', mac: macOf(3), startMs: nowMs - 30_000 };
  const lines = [latest, running].flatMap((one) => outputRecords(one, OUTPUT));
  const records = [...entries, ...lines, ...more].toSorted((one, other) => one.atMs - other.atMs);
  await journal.restore(records.map((record, index): JournalRecord => ({ ...record, sequence: index + 1 })));
  await journal.close();
  await using leases = openSqliteLeaseBook({ path });
  for (const [index, address] of ['192.168.56.110', '192.168.56.111', '192.168.56.112'].entries())
    await leases.write({
      address,
      mac: `52:54:00:ee:00:0${index}`,
      state: index === 2 ? 'declined' : 'leased',
      untilMs: nowMs + 3_600_000,
    });
}

const PATIENCE_MS = 20_000;

/** Resolves when the condition holds. Rejects when it takes too long. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (performance.now() > endMs) throw new Error(`not within ${PATIENCE_MS} ms: ${String(condition)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
