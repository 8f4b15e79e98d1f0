/** Packages of PyPI in a folder of their own, installed once, for tests with programs that others wrote. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const INSTALL_MS_MAX = 240_000;
const RUN_MS_MAX = 30_000;

export interface PythonPackages {
  /** The folder of the programs. */
  readonly bin: string;
  /** Installs them. Returns why they are absent, or undefined. */
  readonly whyAbsent: () => Promise<string | undefined>;
  /** Runs a program of Python, and returns what it prints. */
  readonly run: (program: string, ...values: readonly string[]) => Promise<string>;
}

/** `packages`: with their versions, as `sushy==5.14.0`. */
export function pythonPackages(name: string, packages: readonly string[]): PythonPackages {
  const folder = join(import.meta.dirname, '../../../../.cache', name);
  const bin = join(folder, 'bin');
  const python = join(bin, 'python3');
  const installed = join(folder, packages.join('+'));
  return {
    bin,
    async whyAbsent() {
      if (existsSync(installed)) return undefined;
      try {
        rmSync(folder, { recursive: true, force: true });
        mkdirSync(folder, { recursive: true });
        await run('python3', ['-m', 'venv', folder], { timeout: INSTALL_MS_MAX });
        const pip = ['-m', 'pip', 'install', '--quiet', '--retries', '0', '--timeout', '20', ...packages];
        await run(python, pip, { timeout: INSTALL_MS_MAX });
        writeFileSync(installed, '');
        return undefined;
      } catch (thrown) {
        const [why] = (thrown instanceof Error ? thrown.message : String(thrown)).split('\n');
        return `needs ${packages.join(' and ')} from PyPI: ${why}`;
      }
    },
    async run(program, ...values) {
      return (await run(python, ['-c', program, ...values], { timeout: RUN_MS_MAX })).stdout;
    },
  };
}
