/** cloud-init and netplan of Debian 12, unpacked and not installed: neither may change the machine that runs the test. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openDebianArchive, runCommand, withCacheLock } from '@tinkerbell/hook';
import { kubectlCache } from '../installed-kubectl.ts';

const run = promisify(execFile);
const FOLDER = join(kubectlCache, 'debian', 'configuration-parsers');
const PYTHON = '/usr/bin/python3';
const PYTHON_PACKAGES =
  'attr certifi chardet configobj idna jinja2 json-pointer jsonpatch jsonschema markupsafe netifaces oauthlib pyrsistent requests serial six urllib3 yaml';
const PACKAGES = [
  'cloud-init',
  ...PYTHON_PACKAGES.split(' ').map((name) => `python3-${name}`),
  'netplan.io',
  'libnetplan0',
  'libyaml-0-2',
];

/** Why they do not run here: their libraries are those of Debian 12. */
export async function whyNoDebianParsers(): Promise<string | undefined> {
  if (process.arch !== 'x64') return 'the packages are for x86-64';
  const { stdout } = await run(PYTHON, ['--version']).catch(() => ({ stdout: 'absent' }));
  if (!stdout.startsWith('Python 3.11'))
    return `needs Debian 12's Python 3.11 (${PYTHON} is ${stdout.trim()})`;
  await withCacheLock(kubectlCache, unpack);
  return undefined;
}

async function unpack(): Promise<void> {
  if (existsSync(FOLDER)) return;
  const archive = await openDebianArchive({ suite: 'bookworm', cacheDirectory: kubectlCache });
  const partial = `${FOLDER}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });
  for (const file of await archive.download(PACKAGES)) await runCommand('dpkg-deb', ['-x', file, partial]);
  await rename(partial, FOLDER);
}

/** Rejects with what cloud-init reports. */
export async function checkUserData(text: string, directory: string): Promise<void> {
  const file = join(directory, 'user-data');
  await writeFile(file, text);
  const env = { ...process.env, PYTHONPATH: join(FOLDER, 'usr/lib/python3/dist-packages') };
  await run(PYTHON, ['-m', 'cloudinit.cmd.main', 'schema', '--config-file', file], { env });
}

/** Returns the files of systemd-networkd, one after the other. Rejects with what netplan reports. */
export async function generatedByNetplan(text: string, directory: string): Promise<string> {
  const folder = join(directory, 'etc/netplan');
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'config.yaml');
  await writeFile(file, text);
  await chmod(file, 0o600);
  const env = { ...process.env, LD_LIBRARY_PATH: join(FOLDER, 'usr/lib/x86_64-linux-gnu') };
  await run(join(FOLDER, 'usr/libexec/netplan/generate'), ['--root-dir', directory], { env });
  return runCommand('sh', ['-c', 'cat "$1"/run/systemd/network/*', 'sh', directory]);
}
