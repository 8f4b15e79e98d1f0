import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { WorkflowService } from '@tinkerbell/api/agent';
import { serviceDefinition } from '@tinkerbell/api/grpc';

import { readSettings } from './settings.ts';
import { createWorkflowClient } from './workflow-client.ts';

const openssl = '/usr/bin/openssl';
const skip = existsSync(openssl) ? false : 'needs openssl';
let directory: string;
let port: number;
let server: Server;

before(async () => {
  if (skip !== false) return;
  directory = mkdtempSync(join(tmpdir(), 'agent-tls-'));
  const files = ['-keyout', join(directory, 'key.pem'), '-out', join(directory, 'cert.pem')];
  const subject = ['-subj', '/CN=server', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync(
    openssl,
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, ...files],
    {
      stdio: 'ignore',
    },
  );
  server = new Server();
  server.addService(serviceDefinition(WorkflowService), {
    getAction: (_call: unknown, callback: (error: object) => void) =>
      callback({ code: status.NOT_FOUND, details: 'no workflow' }),
  });
  const [private_key, cert_chain] = ['key.pem', 'cert.pem'].map((name) =>
    readFileSync(join(directory, name)),
  );
  assert.ok(private_key !== undefined && cert_chain !== undefined);
  const keys = ServerCredentials.createSsl(null, [{ private_key, cert_chain }]);
  port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', keys, (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
});
after(() => {
  if (skip !== false) return;
  server.forceShutdown();
  rmSync(directory, { recursive: true });
});

async function answer(grpcInsecureTls: boolean): Promise<string> {
  const flags = [
    `--grpc-server=127.0.0.1:${port}`,
    '--id=a',
    '--grpc-tls',
    `--grpc-insecure-tls=${grpcInsecureTls}`,
  ];
  const read = readSettings({
    arguments: flags,
    environment: {},
    kernelCommandLine: '',
    firstMac: undefined,
  });
  assert.ok(read.ok);
  const client = createWorkflowClient(read.settings);
  const result = await client.getAction({ agentId: 'a' }, new AbortController().signal);
  client.close();
  return result.ok ? 'an action' : result.error;
}

test('uses TLS with a server known only by its address', { skip }, async () => {
  assert.match(await answer(true), /NOT_FOUND: no workflow/);
});

test('rejects an untrusted certificate', { skip }, async () => {
  assert.match(await answer(false), /UNAVAILABLE:.*self-signed/);
});
