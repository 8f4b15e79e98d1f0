import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { offeredSegment } from '@tinkerbell/action-kit';
import type { ContainerSettings } from './container-settings.ts';
import type { ContainerRuntime } from './execution.ts';

/**
 * `auto` is crun if it is installed, or if this in-memory OS can download it. Undefined if this machine cannot run
 * containers.
 */
export function runtimeOf({ runtime, crun }: ContainerSettings): ContainerRuntime | undefined {
  switch (runtime) {
    case 'builtin':
      return undefined;
    case 'crun':
    case 'docker':
      return runtime;
    case 'auto':
      return isInstalled(crun) || offeredSegment('containers') !== undefined ? 'crun' : undefined;
    default:
      return runtime satisfies never;
  }
}

export function isInstalled(program: string): boolean {
  const directories = program.includes('/') ? [''] : (process.env['PATH'] ?? '').split(delimiter);
  return directories.some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
