import { mkdir } from 'node:fs/promises';

import {
  ActionError,
  assertBlockDevice,
  assertNotStopped,
  ensureSegment,
  mustRun,
  runProgram,
  type ActionContext,
} from '@tinkerbell/action-kit';

import type { LayoutFileSystem } from './disk-layout.ts';
import { formatCommand, missingProgram } from './format-command.ts';

/** @throws ActionError when the program is missing or fails. */
export async function formatDevice(fileSystem: LayoutFileSystem, context: ActionContext): Promise<void> {
  const { program, args, segment } = formatCommand(fileSystem);
  await assertBlockDevice(fileSystem.device);
  if (segment !== undefined) await ensureSegment(segment, context);
  const { signal, log } = context;
  const isInstalled = await runProgram(program, ['-V'], { signal }).then(
    () => true,
    () => false,
  );
  assertNotStopped(signal);
  if (!isInstalled) throw new ActionError(missingProgram(fileSystem));
  await mustRun(program, args, { signal, log });
}

/** Mounts it at its point in this system, where later actions find it, or enables it as swap. */
export async function mountDevice(fileSystem: LayoutFileSystem, context: ActionContext): Promise<void> {
  const { device, format, point } = fileSystem;
  await assertBlockDevice(device);
  const { signal, log } = context;
  if (format === 'swap') {
    await mustRun('swapon', [device], { signal, log });
    return;
  }
  if (!point.startsWith('/'))
    throw new ActionError(`${device}: the mount point "${point}" must be an absolute path`);
  await mkdir(point, { recursive: true });
  await mustRun('mount', ['-t', format, device, point], { signal, log });
}
