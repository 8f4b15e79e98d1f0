/** Runs the real server as a child process on loopback in its own data folder, and an agent for it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { localFetch } from '@tinkerbell/sandbox/local-authorization';
import { createWorkflowClient, readSettings, type WorkflowClient } from '@tinkerbell/app-agent';

export interface ServerChild extends AsyncDisposable {
  readonly url: string;
  /** `fetch` as the administrator of the server. */
  readonly request: ReturnType<typeof localFetch>;
}

/** `flags` may name files below the data folder. Resolves when the server is ready. */
export async function startedServerChild(flags: (folder: string) => readonly string[]): Promise<ServerChild> {
  const folder = mkdtempSync(join(tmpdir(), 'server-child-'));
  const own = [
    `--data-dir=${folder}`,
    '--http-port=0',
    '--local-api-port=0',
    '--bind-address=127.0.0.1',
    '--public-ipv4=127.0.0.1',
    '--log-format=json',
  ];
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../main.mjs'), ...own, ...flags(folder)],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let url: string | undefined;
  for await (const line of createInterface({ input: child.stderr })) {
    url = /"http":"([^"]+)".*"message":"ready"/.exec(line)?.[1];
    if (url !== undefined) break;
  }
  child.stderr.resume();
  assert.ok(url !== undefined, 'the server did not start');
  return {
    url,
    request: localFetch(folder),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await once(child, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}

export function agentOf(port: number, firstMac: string): WorkflowClient {
  const read = readSettings({
    arguments: [],
    environment: { AGENT_GRPC_SERVER: `127.0.0.1:${port}` },
    kernelCommandLine: '',
    firstMac,
  });
  assert.ok(read.ok);
  return createWorkflowClient(read.settings);
}
