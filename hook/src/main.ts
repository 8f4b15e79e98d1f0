import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { ARCHITECTURES, type ArchitectureName } from './architecture.ts';
import { buildHook, type HookBuild } from './build-hook.ts';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

const USAGE = `npm run hook [-- --arch NAME] [-- --release] [-- --out DIR] [-- --json]

Builds the in-memory OS: vmlinuz-<arch> and initramfs-<arch>.

  --release   smallest files (zstd -19, about a minute) instead of the quickest build (zstd -3)
  --arch NAME x86_64 (default) or aarch64
  --out DIR   where to write them (default: out/hook)
  --json      print one JSON object at the end
`;

const { values } = parseArgs({
  options: {
    release: { type: 'boolean', default: false },
    out: { type: 'string', default: `${REPOSITORY}out/hook` },
    arch: { type: 'string', default: 'x86_64' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  process.stdout.write(USAGE);
} else {
  try {
    const build = await buildHook({
      outputDirectory: values.out,
      cacheDirectory: `${REPOSITORY}.cache`,
      release: values.release,
      architecture: architectureNamed(values.arch),
      onProgress: (line) => process.stderr.write(`hook: ${line}\n`),
    });
    process.stdout.write(values.json ? `${JSON.stringify(build)}\n` : summary(build));
  } catch (error) {
    process.stderr.write(`hook: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

function architectureNamed(text: string): ArchitectureName {
  const found = ARCHITECTURES.find(({ name }) => name === text);
  if (found !== undefined) return found.name;
  const known = ARCHITECTURES.map(({ name }) => name).join(' or ');
  throw new Error(`--arch must be ${known}, not ${JSON.stringify(text)}`);
}

function summary(build: HookBuild): string {
  const line = (name: string, bytes: number): string =>
    `  ${name.padEnd(14)} ${(bytes / 1e6).toFixed(1).padStart(6)} MB\n`;
  return [
    `${build.kernel.path}\n${build.initramfs.path}\n\n`,
    line('kernel', build.kernel.bytes),
    ...Object.entries(build.segments).map(([name, bytes]) => line(name, bytes)),
    line('total', build.kernel.bytes + build.initramfs.bytes),
  ].join('');
}
