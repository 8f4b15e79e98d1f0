/** Programs of OpenStack that speak Redfish: the client sushy, and the emulator of sushy-tools. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pythonPackages } from './python-packages.ts';

const packages = pythonPackages('sushy', ['sushy==5.14.0', 'sushy-tools==2.2.0']);

/** Installs both, once. Returns why they are absent, or undefined. */
export const whyNoSushy = packages.whyAbsent;

/** Runs a program of the client, and returns the JSON that it prints. */
export async function sushyClient(program: string, ...values: readonly string[]): Promise<unknown> {
  return JSON.parse(await packages.run(program, ...values));
}

export interface SushyEmulator extends AsyncDisposable {
  readonly port: number;
}

/** With the bcrypt hash of `PASSWORD` of redfish-rack.ts. */
const ACCOUNTS = 'admin:$2b$04$95o50LJ6QE.D5l0vjKLwbuL9.622qhT41MAqaJcRYjEOhvx6pswzq\n';

export async function sushyEmulator(tls: {
  readonly key: string;
  readonly cert: string;
}): Promise<SushyEmulator> {
  const state = mkdtempSync(join(tmpdir(), 'sushy-'));
  const at = (name: string): string => join(state, name);
  writeFileSync(at('key.pem'), tls.key, { mode: 0o600 });
  writeFileSync(at('cert.pem'), tls.cert);
  writeFileSync(at('accounts'), ACCOUNTS);
  const config = [
    `SUSHY_EMULATOR_LISTEN_IP = '127.0.0.1'`,
    `SUSHY_EMULATOR_LISTEN_PORT = 0`,
    `SUSHY_EMULATOR_STATE_DIR = '${state}'`,
    `SUSHY_EMULATOR_AUTH_FILE = '${at('accounts')}'`,
    `SUSHY_EMULATOR_SSL_KEY = '${at('key.pem')}'`,
    `SUSHY_EMULATOR_SSL_CERT = '${at('cert.pem')}'`,
    // The emulator changes the power after up to 11 seconds of chance.
    'import random',
    'random.randint = lambda low, high: 0',
  ];
  writeFileSync(at('config.py'), config.join('\n'));
  const child = spawn(
    join(packages.bin, 'python3'),
    ['-m', 'sushy_tools.emulator.main', '--fake', '--config', at('config.py')],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, TMPDIR: state },
    },
  );
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const dispose = async (): Promise<void> => {
    child.kill();
    await ended;
    rmSync(state, { recursive: true, force: true });
  };
  try {
    return { port: await portOf(child.stderr), [Symbol.asyncDispose]: dispose };
  } catch (thrown) {
    await dispose();
    throw thrown;
  }
}

/** From the line ` * Running on https://127.0.0.1:40123`. */
async function portOf(output: NodeJS.ReadableStream): Promise<number> {
  const lines: string[] = [];
  const reader = createInterface({ input: output });
  for await (const line of reader) {
    lines.push(line);
    const port = /Running on https:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
    if (port === undefined) continue;
    output.resume();
    return Number(port);
  }
  throw new Error(`the emulator ended:\n${lines.join('\n')}`);
}
