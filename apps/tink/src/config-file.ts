/** `~/.config/tink/config.yaml`: which server and namespace commands mean when nobody says. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isRecord, nearest } from '@tinkerbell/resources';
import { parseYaml, positionOf, stringifyYaml, toJson } from '@tinkerbell/yaml';
import { TinkFailure } from './failure.ts';
import type { Terminal } from './terminal.ts';

export interface Config {
  readonly server?: string;
  readonly namespace?: string;
}

const FIELDS = ['server', 'namespace'] as const;

/** TINK_CONFIG, else the usual place. */
export function configPath({
  environment,
  homeDirectory,
}: Pick<Terminal, 'environment' | 'homeDirectory'>): string {
  return environment['TINK_CONFIG'] || join(homeDirectory, '.config', 'tink', 'config.yaml');
}

/** Empty when there is no file. Throws a TinkFailure that names file, line and field. */
export async function readConfig(path: string): Promise<Config> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new TinkFailure(`cannot read ${path}: ${(thrown as Error).message}`);
  }
  return parseConfig(text, path);
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
    const { line, column } = positionOf(document, [field]);
    const fault = fieldFault(field, content);
    if (fault !== undefined) throw new TinkFailure(`${path}:${line}:${column}: ${fault}`);
  }
  return value;
}

function fieldFault(field: string, content: unknown): string | undefined {
  if (!FIELDS.some((one) => one === field)) {
    const close = nearest(field, FIELDS);
    return `unknown field "${field}"; ${close === undefined ? `known fields: ${FIELDS.join(', ')}` : `did you mean "${close}"?`}`;
  }
  if (typeof content !== 'string') return `${field}: must be a string`;
  return field === 'server' ? serverFault(content) : undefined;
}

/** What is wrong with the URL of a server. */
export function serverFault(server: string): string | undefined {
  const wanted = 'must be a URL such as http://192.168.56.4:7080';
  if (!/^https?:\/\//.test(server) || !URL.canParse(server))
    return `server: ${JSON.stringify(server)}: ${wanted}`;
  const { username, search, hash } = new URL(server);
  return username + search + hash === '' ? undefined : `server: ${wanted}, without user, ? and #`;
}

export async function writeConfig(path: string, config: Config): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, stringifyYaml(config), { mode: 0o600 });
}
