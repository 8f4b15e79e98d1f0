/**
 * Runs a real kube-apiserver on a real etcd, on its own ports and in its own folder, with roles enforced
 * (RBAC).
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@tinkerbell/sandbox/free-port';
import { accessFrom, ClusterClient } from '@tinkerbell/store-kubernetes';
import { parseYaml, toJson } from '@tinkerbell/yaml';
import type { ApiServer } from './api-server.ts';
import { buildPrograms } from './kube-programs.ts';

interface GrantOptions {
  /** Whether the user may create namespaces (default: as in the ClusterRole). */
  readonly mayCreateNamespaces?: boolean;
}

export interface KubeApiServer extends ApiServer {
  /** The kubeconfig of a user without any role yet. */
  readonly userKubeconfig: string;
  /** Grants that user the ClusterRole of deploy/kubernetes/rbac.yaml. */
  grant(options?: GrantOptions): Promise<void>;
}

const START_MS_MAX = 60_000;
const LINES_KEPT = 30;
const USER = 'tinkerbell';
const ROLES = join(import.meta.dirname, '../../../deploy/kubernetes/rbac.yaml');
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

export async function startKubeApiServer(): Promise<KubeApiServer> {
  const programs = await buildPrograms();
  const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-kube-'));
  const [port, etcdPort] = [await freePort(), await freePort()];
  const url = `https://127.0.0.1:${port}`;
  const file = (name: string): string => join(folder, name);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  writeFileSync(file('sa.key'), privateKey.export({ type: 'sec1', format: 'pem' }));
  const users = ['admin,admin,1,"system:masters"', `${USER},${USER},2`];
  writeFileSync(file('tokens.csv'), `${users.join('\n')}\n`);
  for (const user of ['admin', USER]) writeFileSync(file(`${user}.kubeconfig`), kubeconfig(url, user));
  const client = new ClusterClient(accessFrom(file('admin.kubeconfig'), {}));
  const etcd = run(programs.etcd, etcdFlags(file('etcd'), etcdPort));
  let server: Running | undefined;
  const api: KubeApiServer = {
    url,
    kubeconfig: file('admin.kubeconfig'),
    userKubeconfig: file(`${USER}.kubeconfig`),
    grant: (options) => grant(client, options),
    call: (call) => client.call(call),
    async kill() {
      await server?.kill();
    },
    async start() {
      server = run(programs.apiServer, serverFlags(file, port, etcdPort));
      await ready(port, server);
    },
    async [Symbol.asyncDispose]() {
      client.close();
      await server?.kill();
      await etcd.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    await api.start();
    return api;
  } catch (thrown) {
    await api[Symbol.asyncDispose]();
    throw thrown;
  }
}

interface Rule {
  readonly resources: readonly string[];
}

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules: readonly Rule[];
}

/** @throws Error with the answer when the cluster rejects it. */
async function grant(
  client: ClusterClient,
  { mayCreateNamespaces = true }: GrantOptions = {},
): Promise<void> {
  const parsed = parseYaml(readFileSync(ROLES, 'utf8'));
  if (!parsed.ok) throw new Error(`${ROLES} is not YAML`);
  const objects = parsed.documents.map((one) => toJson(one) as unknown as Role);
  const whole = objects.find(({ kind }) => kind === 'ClusterRole');
  const isLess = ({ resources }: Rule): boolean => !mayCreateNamespaces && resources.includes('namespaces');
  const rules = whole?.rules.map((rule) =>
    isLess(rule) ? { ...rule, verbs: ['get', 'list', 'watch'] } : rule,
  );
  const role = whole && { ...whole, rules };
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role?.metadata.name };
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: USER }];
  const binding = { kind: 'ClusterRoleBinding', metadata: { name: USER }, roleRef, subjects };
  for (const [path, body] of [
    [`${RBAC}/clusterroles`, role],
    [`${RBAC}/clusterrolebindings`, binding],
  ] as const) {
    const { status, body: answer } = await client.call({ method: 'POST', path, body });
    if (status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(answer)}`);
  }
}

/** A crash of the machine is not tested, so nothing has to be on a disk. */
function etcdFlags(data: string, port: number): readonly string[] {
  const url = `http://127.0.0.1:${port}`;
  return [
    `--data-dir=${data}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    '--listen-peer-urls=http://127.0.0.1:0',
    '--unsafe-no-fsync',
    '--log-level=warn',
  ];
}

function serverFlags(file: (name: string) => string, port: number, etcdPort: number): readonly string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    `--cert-dir=${file('certificates')}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${file('sa.key')}`,
    `--service-account-signing-key-file=${file('sa.key')}`,
    `--token-auth-file=${file('tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--endpoint-reconciler-type=none',
  ];
}

/** Tokens are the names of their users, because this listens on loopback for the time of a test. */
function kubeconfig(server: string, user: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user } }],
    clusters: [{ name: 'test', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: user, user: { token: user } }],
  });
}

interface Running {
  readonly child: ChildProcess;
  readonly said: readonly string[];
  kill(): Promise<void>;
}

function run(program: string, flags: readonly string[]): Running {
  const child = spawn(program, flags, { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit');
  const said: string[] = [];
  child.stderr.on('data', (bytes: Buffer) => {
    said.push(...bytes.toString('utf8').trim().split('\n'));
    said.splice(0, said.length - LINES_KEPT);
  });
  return {
    child,
    said,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function ready(port: number, { child, said }: Running): Promise<void> {
  const limit = AbortSignal.timeout(START_MS_MAX);
  while (!limit.aborted && child.exitCode === null) {
    if (await isReady(port)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`kube-apiserver did not start:\n${said.join('\n')}`);
}

/** It has its own certificate, and its answer is not JSON. */
function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, path: '/readyz', rejectUnauthorized: false };
    get(options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).on('error', () => resolve(false));
  });
}
