/**
 * Starts the server that is attacked: every service, the gateway in front of its HTTP port, and one user of
 * each role.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@tinkerbell/sandbox/free-port';
import { localAuthorization } from '@tinkerbell/sandbox/local-authorization';
import { startServer, type ServerChild } from '../start-server.ts';
import type { AttackTarget, Role } from './attack.ts';
import { GOOD_CLIENTS, goodMac } from './good-dhcp.ts';

export interface StartedTarget extends AsyncDisposable {
  readonly target: AttackTarget;
  readonly server: ServerChild;
  /** Answers of 5xx so far, each as `STATUS METHOD PATH`. */
  readonly faults: readonly string[];
  /** Lines of server-monitor.ts. */
  readonly monitorFile: string;
}

const ACCOUNTS: Readonly<Record<'editor' | 'viewer' | 'agent', string | undefined>> = {
  editor: 'edit',
  viewer: 'view',
  agent: undefined,
};
const FAULTS_KEPT = 100;
/** No answer within this time is a fault. */
const PATIENCE_MS = 30_000;

/** With `isProfiled`, the monitor's lines say what ran in long callbacks. */
export async function startTarget(folder: string, isProfiled: boolean): Promise<StartedTarget> {
  const [http, gateway, agentPort] = [await freePort(), await freePort(), await freePort()];
  const monitorFile = join(folder, 'monitor');
  const routes = join(folder, 'gateway.yaml');
  writeFileSync(
    routes,
    `listeners: [{name: plain, port: ${gateway}, address: 127.0.0.1}]
routes:
  - {name: agents, match: {pathRegex: "/(proto|tinkerbell|grpc)[.].*"}, upstream: {protocol: h2c, endpoints: ["127.0.0.1:${agentPort}"]}}
  - {name: all, match: {pathPrefix: /}, upstream: {endpoints: ["127.0.0.1:${http}"]}}\n`,
  );
  const monitor = join(import.meta.dirname, 'server-monitor.ts');
  const server = await startServer({
    dataDirectory: join(folder, 'data'),
    prefix: [
      'env',
      'MALLOC_ARENA_MAX=1',
      `NODE_OPTIONS=--import=${monitor} --max-semi-space-size=8`,
      `ATTACK_MONITOR=${monitorFile}`,
      ...(isProfiled ? ['ATTACK_PROFILE=1'] : []),
    ],
    flags: [
      `--http-port=${http}`,
      `--tink-server-bind-port=${agentPort}`,
      '--public-ipv4=127.0.0.1',
      '--dhcp-enabled=true',
      '--dhcp-bind-addr=127.0.0.1',
      '--tftp-server-enabled=true',
      '--syslog-enabled=true',
      '--tootles-legacy-port=0',
      '--enable-gateway',
      `--gateway-config=${routes}`,
    ],
  });
  const tokens = await makeUsers(server);
  const faults: string[] = [];
  const note = (fault: string): void => {
    if (faults.length < FAULTS_KEPT) faults.push(fault);
  };
  const target: AttackTarget = {
    url: server.url,
    gatewayUrl: `http://127.0.0.1:${gateway}`,
    agentPort,
    folder,
    async send(role, path, options = {}) {
      const headers = new Headers(options.headers);
      const token = tokens[role];
      if (token !== '' && !headers.has('authorization')) headers.set('authorization', token);
      const signal = options.signal ?? AbortSignal.timeout(PATIENCE_MS);
      const shown = `${options.method ?? 'GET'} ${path.slice(0, 200)}`;
      try {
        const response = await fetch(server.url + path, { ...options, headers, signal, redirect: 'manual' });
        if (response.status >= 500) note(`${response.status} ${shown}`);
        return response;
      } catch (error) {
        // An act that passes its own signal expects to wait.
        const isLate = (error as Error).name === 'TimeoutError' && options.signal === undefined;
        if (isLate) note(`no answer: ${shown}`);
        throw error;
      }
    },
  };
  return { target, server, faults, monitorFile, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

async function makeUsers(server: ServerChild): Promise<Readonly<Record<Role, string>>> {
  const post = async (path: string, body: object): Promise<{ status?: { token?: string } }> => {
    const response = await server.request(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return (await response.json()) as { status?: { token?: string } };
  };
  const meta = (name: string) => ({ metadata: { name, namespace: 'lab' } });
  await post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'lab' } });
  const found: Record<Role, string> = { admin: '', nobody: '', editor: '', viewer: '', agent: '' };
  for (const [name, role] of Object.entries(ACCOUNTS)) {
    const accounts = '/api/v1/namespaces/lab/serviceaccounts';
    await post(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', ...meta(name) });
    if (role !== undefined)
      await post('/apis/rbac.authorization.k8s.io/v1/namespaces/lab/rolebindings', {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        ...meta(name),
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
        subjects: [{ kind: 'ServiceAccount', name, namespace: 'lab' }],
      });
    const { status } = await post(`${accounts}/${name}/token`, { spec: { expirationSeconds: 86_400 } });
    found[name as keyof typeof ACCOUNTS] = `Bearer ${status?.token}`;
  }
  await post('/apis/tinkerbell.org/v1alpha1/namespaces/default/hardware', {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name: 'good' },
    spec: { interfaces: Array.from({ length: GOOD_CLIENTS }, (_, index) => goodInterface(index)) },
  });
  await post('/api/v1/namespaces/default/secrets', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'canary' },
    stringData: { a: SECRET },
  });
  const { authorization } = localAuthorization(server.dataDirectory);
  return { ...found, admin: authorization };
}

function goodInterface(index: number) {
  const ip = { address: `10.60.0.${1 + index}`, netmask: '255.255.255.0' };
  return { dhcp: { mac: goodMac(index), ip }, netboot: { allowPXE: true } };
}

/** The text of a Secret in the namespace `default`, which only the administrator may read. */
export const SECRET = 'canary-of-the-attacks-4711';
