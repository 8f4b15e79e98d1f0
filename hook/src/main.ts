import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { ARCHITECTURES, type ArchitectureName } from './architecture.ts';
import { buildHook, type HookBuild } from './build-hook.ts';
import { buildIso, type IsoArtifact } from './iso.ts';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

const USAGE = `npm run hook [-- --arch NAME] [-- --iso] [-- --release] [-- --out DIR] [-- --json]

Builds the in-memory OS: vmlinuz-<arch>, initramfs-<arch>, segments-<arch>.json and the segments.

  --release   smallest files (zstd -19, about a minute) instead of the quickest build (zstd -3)
  --arch NAME x86_64 (default) or aarch64
  --iso       also an image for virtual media and USB sticks: hook-<arch>.iso
  --out DIR   where to write them (default: out/hook)
  --json      print one JSON object at the end
`;

const { values } = parseArgs({
  options: {
    release: { type: 'boolean', default: false },
    out: { type: 'string', default: `${REPOSITORY}out/hook` },
    iso: { type: 'boolean', default: false },
    arch: { type: 'string', default: 'x86_64' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  process.stdout.write(USAGE);
} else {
  try {
    const architecture = architectureNamed(values.arch);
    const cacheDirectory = `${REPOSITORY}.cache`;
    const build = await buildHook({
      outputDirectory: values.out,
      cacheDirectory,
      release: values.release,
      architecture,
      onProgress: (line) => process.stderr.write(`hook: ${line}\n`),
    });
    const iso = values.iso
      ? await buildIso({ architecture, directory: values.out, cacheDirectory })
      : undefined;
    process.stdout.write(values.json ? `${JSON.stringify({ ...build, iso })}\n` : summary(build, iso));
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

function summary(build: HookBuild, iso: IsoArtifact | undefined): string {
  const line = (name: string, bytes: number): string =>
    `  ${name.padEnd(14)} ${(bytes / 1e6).toFixed(1).padStart(6)} MB\n`;
  return [
    `${build.kernel.path}\n${build.initramfs.path}\n${iso === undefined ? '' : `${iso.path}\n`}\n`,
    line('kernel', build.kernel.bytes),
    ...Object.entries(build.parts).map(([name, bytes]) => line(name, bytes)),
    line('total', build.kernel.bytes + build.initramfs.bytes),
    '\nsegments, downloaded when an action needs them:\n',
    ...build.segments.map(({ name, bytes }) => line(name, bytes)),
    ...(iso === undefined ? [] : [line('image', iso.bytes)]),
  ].join('');
}
