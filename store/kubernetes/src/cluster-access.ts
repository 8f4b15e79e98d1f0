/** The address of a cluster's API and this program's credentials, from a kubeconfig or from the files in every pod. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { PlatformError } from '@tinkerbell/platform-contract';
import { isRecord } from '@tinkerbell/resources';
import { parseYaml, toJson } from '@tinkerbell/yaml';

export interface ClusterAccess {
  /** `https://host:port`, without a path at its end. */
  readonly url: string;
  /** PEM texts. */
  readonly ca?: string;
  readonly certificate?: string;
  readonly key?: string;
  readonly isInsecure?: boolean;
  /** Read again for each request, because tokens of pods are replaced every hour. */
  readonly token?: () => string;
}

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Returns the access of the kubeconfig's current context, or of the pod in which this runs when `kubeconfig` is empty. Throws a
 * PlatformError.
 */
export function accessFrom(
  kubeconfig: string,
  environment: Readonly<Record<string, string | undefined>>,
): ClusterAccess {
  return kubeconfig === '' ? accessInPod(environment) : accessByFile(kubeconfig);
}

function accessInPod(environment: Readonly<Record<string, string | undefined>>): ClusterAccess {
  const host = environment['KUBERNETES_SERVICE_HOST'] ?? '';
  const port = environment['KUBERNETES_SERVICE_PORT'] ?? '443';
  if (host === '')
    throw new PlatformError(
      'not-found',
      'there is no Kubernetes here: not in a pod (KUBERNETES_SERVICE_HOST is not set); name a file with --kubeconfig',
    );
  const url = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return { url, ca: textOf(`${ACCOUNT}/ca.crt`), token: () => textOf(`${ACCOUNT}/token`).trim() };
}

type Fields = Readonly<Record<string, unknown>>;

function accessByFile(path: string): ClusterAccess {
  const { cluster, user } = currentOf(path);
  const server = textIn(cluster, 'server');
  if (!URL.canParse(server)) throw wrong(path, `has no valid server: ${JSON.stringify(server)}`);
  for (const way of ['exec', 'auth-provider', 'username']) {
    if (user[way] !== undefined)
      throw wrong(path, `has a user with ${way}; use a token, tokenFile or client certificate`);
  }
  const folder = dirname(resolve(path));
  const given = {
    ca: pemOf(cluster, 'certificate-authority', folder),
    certificate: pemOf(user, 'client-certificate', folder),
    key: pemOf(user, 'client-key', folder),
    token: tokenOf(user, folder),
  };
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  return {
    url: server.replace(/\/+$/, ''),
    isInsecure: cluster['insecure-skip-tls-verify'] === true,
    ...(Object.fromEntries(present) as Pick<ClusterAccess, 'ca' | 'certificate' | 'key' | 'token'>),
  };
}

/** Cluster and user of the current context. */
function currentOf(path: string): { readonly cluster: Fields; readonly user: Fields } {
  const parsed = parseYaml(textOf(path));
  const document = parsed.ok ? parsed.documents[0] : undefined;
  if (document === undefined) throw wrong(path, 'is not YAML');
  const config = fieldsOf(toJson(document));
  const context = named(config, 'context', textIn(config, 'current-context'));
  if (context === undefined) throw wrong(path, 'has no context of the name that current-context has');
  return {
    cluster: named(config, 'cluster', textIn(context, 'cluster')) ?? {},
    user: named(config, 'user', textIn(context, 'user')) ?? {},
  };
}

function textIn(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}

function tokenOf(user: Fields, folder: string): (() => string) | undefined {
  const [token, file] = [user['token'], user['tokenFile']];
  if (typeof file === 'string') return () => textOf(resolve(folder, file)).trim();
  return typeof token === 'string' ? () => token : undefined;
}

/** `certificate-authority-data` in base64, or the file that `certificate-authority` names. */
function pemOf(fields: Fields, name: string, folder: string): string | undefined {
  const [data, file] = [fields[`${name}-data`], fields[name]];
  if (typeof data === 'string') return Buffer.from(data, 'base64').toString('utf8');
  return typeof file === 'string' ? textOf(resolve(folder, file)) : undefined;
}

/** The lists of a kubeconfig are `contexts`, `clusters` and `users`, and their items have a field `context`, `cluster` or `user`. */
function named(config: Fields, field: string, name: string): Fields | undefined {
  const items: unknown = config[`${field}s`];
  const found = (Array.isArray(items) ? items : []).map(fieldsOf).find((item) => item['name'] === name);
  return found === undefined ? undefined : fieldsOf(found[field]);
}

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new PlatformError('not-found', `${path} cannot be read`, { cause });
  }
}

function wrong(path: string, what: string): PlatformError {
  return new PlatformError('not-found', `--kubeconfig ${path} ${what}`);
}
