/** DMTF's program that compares each resource of a Redfish service with its schema (DSP8010). */
import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PACKAGE = 'redfish_service_validator==3.1.8';
const INSTALL_MS_MAX = 240_000;
const RUN_MS_MAX = 120_000;
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
const cache = join(import.meta.dirname, '../../../../.cache');
const folder = join(cache, 'redfish-validator');
const installed = join(folder, PACKAGE);
/** The program downloads them from dmtf.org. Files that are here already (`csdl` of DSP8010) are used as they are. */
const schemas = join(cache, 'redfish-schemas');

/** Installs the program once. Returns why it is absent, or undefined. */
export async function whyNoValidator(): Promise<string | undefined> {
  if (existsSync(installed)) return undefined;
  try {
    rmSync(folder, { recursive: true, force: true });
    await run('python3', ['-m', 'venv', folder], { timeout: INSTALL_MS_MAX });
    const pip = ['-m', 'pip', 'install', '--quiet', '--retries', '0', '--timeout', '20', PACKAGE];
    await run(join(folder, 'bin/python3'), pip, { timeout: INSTALL_MS_MAX });
    writeFileSync(installed, '');
    return undefined;
  } catch (thrown) {
    const [why] = messageOf(thrown).split('\n');
    return `needs ${PACKAGE} from PyPI: ${why}`;
  }
}

export type Validation =
  | { readonly kind: 'validated'; readonly passes: number; readonly failures: readonly string[] }
  | { readonly kind: 'without-schemas'; readonly why: string };

export interface ValidatedService {
  readonly port: number;
  readonly username: string;
  readonly password: string;
}

/** The failures name the property and the rule. Warnings about old schemas are no failures: BMCs have them. */
export async function validated({ port, username, password }: ValidatedService): Promise<Validation> {
  mkdirSync(schemas, { recursive: true });
  const logs = mkdtempSync(join(tmpdir(), 'redfish-validator-'));
  const hasSchemas = existsSync(join(schemas, 'ComputerSystem_v1.xml'));
  const flags = [
    `--rhost=https://127.0.0.1:${port}`,
    `--user=${username}`,
    `--password=${password}`,
    `--schema_directory=${schemas}`,
    `--logdir=${logs}`,
    ...(hasSchemas ? ['--skipschema'] : []),
  ];
  try {
    const program = join(folder, 'bin/rf_service_validator');
    // It exits with 1 when the service fails, so only its log counts.
    await run(program, [...flags, '--debugging'], { timeout: RUN_MS_MAX, maxBuffer: OUTPUT_BYTES_MAX }).catch(
      () => undefined,
    );
    return validationIn(logIn(logs));
  } finally {
    rmSync(logs, { recursive: true, force: true });
  }
}

/** It makes a folder for each run. */
function logIn(logs: string): string {
  const files = readdirSync(logs, { recursive: true, encoding: 'utf8' });
  const file = files.find((name) => name.endsWith('.log'));
  return file === undefined ? '' : readFileSync(join(logs, file), 'utf8');
}

function validationIn(log: string): Validation {
  const lines = log.split('\n');
  const absent = lines.find((line) => /Could not access .* on dmtf\.org/.test(line));
  if (absent !== undefined)
    return { kind: 'without-schemas', why: 'needs the schemas DSP8010 from dmtf.org' };
  const textsAfter = (mark: string): readonly string[] =>
    lines.flatMap((line) => (line.includes(mark) ? (line.split(mark)[1] ?? '') : []));
  return { kind: 'validated', passes: textsAfter('PASS - ').length, failures: textsAfter('FAIL - ') };
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
