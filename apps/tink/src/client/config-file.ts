/** `~/.config/tink/config.yaml`: the known servers, and the default server and namespace. */
import { mkdir, readFile, realpath, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '@tinkerbell/platform-contract';
import { isRecord, nearest } from '@tinkerbell/resources';
import { parseYaml, positionOf, stringifyYaml, toJson } from '@tinkerbell/yaml';
import { unreadable } from '../files/unreadable.ts';
import { TinkFailure } from '../failure.ts';
import type { Terminal } from '../output/terminal.ts';

/** A login at an identity provider. */
export interface Login {
  readonly issuer: string;
  readonly clientId: string;
  /** An ID token. */
  readonly token: string;
  readonly refreshToken?: string;
}

/** A server with its credentials. Files are given as paths. */
export interface Context {
  readonly server?: string;
  readonly namespace?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  /** Takes precedence over the other tokens. */
  readonly login?: Login;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  readonly certificateAuthority?: string;
  /** Accepts any certificate. Anyone on the network path can then read and change the traffic. */
  readonly insecure?: boolean;
}

export interface Config {
  /** Settings from before contexts; used when no context is in use. */
  readonly server?: string;
  readonly namespace?: string;
  readonly currentContext?: string;
  readonly contexts?: Readonly<Record<string, Context>>;
}

const FIELDS = ['server', 'namespace', 'currentContext', 'contexts'] as const;
const CONTEXT_FIELDS = [
  'server',
  'namespace',
  'token',
  'tokenFile',
  'clientCertificate',
  'clientKey',
  'certificateAuthority',
  'insecure',
  'login',
] as const;
const LOGIN_FIELDS = ['issuer', 'clientId', 'token', 'refreshToken'] as const;

/** Returns TINK_CONFIG, else the default path. */
export function configPath({
  environment,
  homeDirectory,
}: Pick<Terminal, 'environment' | 'homeDirectory'>): string {
  return environment['TINK_CONFIG'] || join(homeDirectory, '.config', 'tink', 'config.yaml');
}

/** Returns empty settings if there is no file. Throws a TinkFailure with file, line and field. */
export async function readConfig(path: string): Promise<Config> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return {};
    throw unreadable(path, thrown);
  }
  return parseConfig(text, path);
}

/** Sets the server of a context. Removes its login, which is only valid for the server that it was made for. */
export function movedTo(url: string, { login, ...context }: Context = {}): Context {
  const server = url.replace(/\/+$/, '');
  return { ...context, server, ...(login === undefined || server !== context.server ? {} : { login }) };
}

export function parseConfig(text: string, path: string): Config {
  const parsed = parseYaml(text);
  if (!parsed.ok) {
    const { position, message } = parsed.error;
    throw new TinkFailure(`${path}:${position.line}:${position.column}: ${message}`);
  }
  const [document] = parsed.documents;
  if (document === undefined) return {};
  const value = toJson(document);
  if (!isRecord(value)) throw new TinkFailure(`${path}:1:1: must be "server: URL" and "namespace: NAME"`);
  for (const [field, content] of Object.entries(value)) {
    refuse(path, positionOf(document, [field]), fieldFault(field, content, FIELDS));
    for (const [name, context] of field === 'contexts' ? entriesOf(content) : []) {
      const place = ['contexts', name];
      if (!isRecord(context)) refuse(path, positionOf(document, place), `contexts.${name}: must have fields`);
      for (const [inner, one] of entriesOf(context)) {
        refuse(path, positionOf(document, [...place, inner]), fieldFault(inner, one, CONTEXT_FIELDS));
        if (inner === 'login') refuse(path, positionOf(document, [...place, inner]), loginFault(one));
      }
    }
  }
  return value;
}

function entriesOf(value: unknown): readonly [string, unknown][] {
  return isRecord(value) ? Object.entries(value) : [];
}

function refuse(
  path: string,
  { line, column }: { readonly line: number; readonly column: number },
  fault: string | undefined,
): void {
  if (fault !== undefined) throw new TinkFailure(`${path}:${line}:${column}: ${fault}`);
}

function fieldFault(field: string, content: unknown, known: readonly string[]): string | undefined {
  if (!known.includes(field)) {
    const close = nearest(field, known);
    return `unknown field "${field}"; ${close === undefined ? `known fields: ${known.join(', ')}` : `did you mean "${close}"?`}`;
  }
  if (field === 'contexts') return isRecord(content) ? undefined : 'contexts: must be names with fields';
  if (field === 'login') return isRecord(content) ? undefined : 'login: must have fields';
  if (field === 'insecure')
    return typeof content === 'boolean' ? undefined : 'insecure: must be true or false';
  if (typeof content !== 'string') return `${field}: must be a string`;
  return field === 'server' ? serverFault(content) : undefined;
}

function loginFault(login: unknown): string | undefined {
  const known: readonly string[] = LOGIN_FIELDS;
  const fields = entriesOf(login);
  const names = fields.map(([name]) => name);
  const isWhole = ['issuer', 'clientId', 'token'].every((name) => names.includes(name));
  const isKnown = fields.every(([name, value]) => known.includes(name) && typeof value === 'string');
  if (isWhole && isKnown) return undefined;
  return `login: must have issuer, clientId, token and optionally refreshToken, all strings; run "tink login" to write it again`;
}

/** Returns what is wrong with the URL of a server. */
export function serverFault(server: string): string | undefined {
  const wanted = 'must be a URL such as http://192.168.56.4:7080';
  if (!/^https?:\/\//.test(server) || !URL.canParse(server))
    return `server: ${JSON.stringify(server)}: ${wanted}`;
  const { username, search, hash } = new URL(server);
  return username + search + hash === '' ? undefined : `server: ${wanted}, without user, ? and #`;
}

/** Writes the file atomically and readable only by its owner, because it contains tokens and another tink may read it now. */
export async function writeConfig(path: string, config: Config): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Keep a symbolic link.
  const place = await realpath(path).catch(() => path);
  const next = `${place}.${process.pid}`;
  await writeFile(next, stringifyYaml(config), { mode: 0o600 });
  await rename(next, place);
}
