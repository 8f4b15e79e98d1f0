/** Builds the packages of this checkout as tests need them: quickly, and without the in-memory OS unless it is given. */
import { join } from 'node:path';
import { architectureOf, withCacheLock } from '@tinkerbell/hook';
import { buildPackages, type PackagesRequest } from '../build-packages.ts';
import { CHECKOUT } from '../build-place.ts';

export const cacheDirectory = join(CHECKOUT, '.cache');
/** 2026-01-01T00:00:00Z */
const MODIFIED_SECONDS = 1_767_225_600;

/** Returns the paths of the artefacts by their names. */
export async function builtPackages(
  request: Pick<PackagesRequest, 'outputDirectory'> & Partial<PackagesRequest>,
): Promise<ReadonlyMap<string, string>> {
  const paths = await withCacheLock(cacheDirectory, () =>
    buildPackages({
      architecture: architectureOf(process.arch === 'arm64' ? 'aarch64' : 'x86_64'),
      version: '0.1.0',
      maintainer: 'Test <test@example.org>',
      modifiedSeconds: MODIFIED_SECONDS,
      release: false,
      hookDirectory: '/nonexistent',
      cacheDirectory,
      onProgress: () => undefined,
      ...request,
    }),
  );
  return new Map(paths.map((path) => [path.slice(path.lastIndexOf('/') + 1), path]));
}
