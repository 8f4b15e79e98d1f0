import { lstat, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';

import { ActionError, defineAction, directoryBelow, withMounted } from '@tinkerbell/action-kit';
import { codeOf } from '@tinkerbell/platform-contract';

import { readSettings, type Settings } from './settings.ts';
import {
  changedEnvironment,
  decodeEnvironment,
  encodeEnvironment,
  ENVIRONMENT_BYTES_MAX,
  type EnvironmentResult,
  type UbootEnvironment,
} from './uboot-environment.ts';

const NEW_DIRECTORY = { owner: 0, group: 0, mode: 0o755 } as const;

/** Sets variables in U-Boot's environment file. Upstream: the ubootenv action. See `settings.ts` for the variables. */
export const ubootenvAction = defineAction('ubootenv', async (environment, context) => {
  const settings = readSettings(environment);
  await withMounted(settings, context, (root) => changeFile(root, settings));
  const { changes, file, device } = settings;
  return { message: `set ${changes.size} variables in ${file} on ${device}` };
});

async function changeFile(root: string, settings: Settings): Promise<void> {
  const path = normalize(settings.file);
  const directory = await directoryBelow(root, dirname(path), NEW_DIRECTORY);
  const target = join(directory, path.slice(path.lastIndexOf('/') + 1));
  const before = await environmentAt(target, settings);
  const bytes = required(encodeEnvironment(changedEnvironment(before, settings.changes)), settings);
  // A power cut leaves the old file or the new one.
  const partial = `${target}.partial`;
  await rm(partial, { force: true });
  const handle = await open(partial, 'wx', 0o644);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(partial, target);
}

async function environmentAt(target: string, settings: Settings): Promise<UbootEnvironment> {
  const found = await lstat(target).catch((cause: unknown) => {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw cause;
  });
  if (found === undefined) return { variables: new Map(), sizeBytes: settings.newSizeBytes, flag: undefined };
  // A link could lead out of the file system.
  if (!found.isFile()) throw new ActionError(`ENV_FILE=${settings.file} is not a file on ${settings.device}`);
  if (found.size > ENVIRONMENT_BYTES_MAX)
    throw new ActionError(`ENV_FILE=${settings.file} has ${found.size} bytes: it is not an environment`);
  return required(decodeEnvironment(await readFile(target)), settings);
}

function required<Value>(result: EnvironmentResult<Value>, { file, device }: Settings): Value {
  if (result.ok) return result.value;
  throw new ActionError(`ENV_FILE=${file} on ${device}: ${result.error}`);
}
