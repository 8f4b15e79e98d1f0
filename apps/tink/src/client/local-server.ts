/**
 * The server on this machine. It writes a kubeconfig to its data folder, readable by its owner only. With it, `tink` is the
 * administrator. The connection uses TLS with the certificate in the file, so no other program on the port gets the token.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '@tinkerbell/platform-contract';
import { isRecord } from '@tinkerbell/resources';
import { parseYaml, toJson } from '@tinkerbell/yaml';
import type { Terminal } from '../output/terminal.ts';

export interface LocalServer {
  /** `https://127.0.0.1:7444` */
  readonly url: string;
  /** The same server without TLS, as users write it: `http://127.0.0.1:7080`. */
  readonly plainUrl: string;
  readonly token: string;
  /** The certificate authority, PEM. */
  readonly certificateAuthority: string;
  /** The path of the kubeconfig. */
  readonly path: string;
}

/** The data folder of a server on this machine (default: TINKERBELL_DATA_DIR, else `data`). */
const DATA_DIRECTORY = 'data';
const EXTENSION = 'tinkerbell.org/local';

/** Returns undefined if the file does not exist. Prints a warning if this user may not read it. */
export async function findLocalServer({
  environment,
  err,
}: Pick<Terminal, 'environment' | 'err'>): Promise<LocalServer | undefined> {
  const path = join(environment['TINKERBELL_DATA_DIR'] || DATA_DIRECTORY, 'kubeconfig');
  try {
    return localServerIn(await readFile(path, 'utf8'), path);
  } catch (thrown) {
    if (codeOf(thrown) === 'EACCES')
      err(`warning: cannot read ${path}: only its owner may; run tink as that user\n`);
    return undefined;
  }
}

/** True if a URL names that server: any spelling of loopback, and its port. */
export function isLocalServer(url: string, { url: tlsUrl, plainUrl }: LocalServer): boolean {
  const named = new URL(url);
  if (!/^(localhost|127\.0\.0\.1|\[::1\])$/.test(named.hostname)) return false;
  return [tlsUrl, plainUrl].some((own) => {
    const { protocol, port } = new URL(own);
    return named.protocol === protocol && named.port === port;
  });
}

function localServerIn(text: string, path: string): LocalServer | undefined {
  const parsed = parseYaml(text);
  const [document] = parsed.ok ? parsed.documents : [];
  const config = document === undefined ? undefined : toJson(document);
  const cluster = fieldOf(first(config, 'clusters'), 'cluster');
  const url = fieldOf(cluster, 'server');
  const authority = fieldOf(cluster, 'certificate-authority-data');
  const token = fieldOf(fieldOf(first(config, 'users'), 'user'), 'token');
  const extension = first(cluster, 'extensions');
  const plainUrl = fieldOf(fieldOf(extension, 'extension'), 'http');
  if (fieldOf(extension, 'name') !== EXTENSION) return undefined;
  const texts = [url, authority, token, plainUrl].filter((one) => typeof one === 'string');
  const [tlsUrl, encoded, bearer, plain] = texts;
  if (tlsUrl === undefined || encoded === undefined || bearer === undefined || plain === undefined)
    return undefined;
  const certificateAuthority = Buffer.from(encoded, 'base64').toString('utf8');
  return { url: tlsUrl, plainUrl: plain, token: bearer, certificateAuthority, path };
}

function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

function first(value: unknown, name: string): unknown {
  const list = fieldOf(value, name);
  return Array.isArray(list) ? list[0] : undefined;
}
