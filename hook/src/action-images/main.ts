import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { messageOf } from '@tinkerbell/platform-contract';
import type { RegistrySettings } from '@tinkerbell/registry-client';

import { architecturesIn } from '../architecture.ts';
import { withCacheLock } from '../cache-lock.ts';
import { recipesNamed } from './action-recipes.ts';
import type { BuiltImage } from './built-image.ts';
import { buildActionImages } from './build-action-images.ts';
import { pushImages, targetOf, type SentImage } from './push-images.ts';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

const USAGE = `npm run actions:images [-- --arch NAMES] [-- --only NAMES] [-- --out DIR] [-- --push HOST/PREFIX] [-- --json]

Builds actions as OCI images, into one OCI layout. The images share their layers.

  --arch NAMES        x86_64, aarch64, or both with a comma (default: both)
  --only NAMES        these actions, with commas between them (default: all)
  --out DIR           where to write the layout (default: out/actions)
  --push HOST/PREFIX  also push them, as HOST/PREFIX/image2disk and so on
  --tag TAG           of the pushed images (default: latest)
  --plain-http        push without TLS
  --ca-file FILE      certificates of private authorities in PEM
  --json              print one JSON object at the end

The variables REGISTRY_USERNAME and REGISTRY_PASSWORD have the credentials of the registry.
`;

const OPTIONS = {
  arch: { type: 'string', default: 'x86_64,aarch64' },
  only: { type: 'string' },
  out: { type: 'string', default: `${REPOSITORY}out/actions` },
  push: { type: 'string' },
  tag: { type: 'string', default: 'latest' },
  'plain-http': { type: 'boolean', default: false },
  'ca-file': { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

try {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help) process.stdout.write(USAGE);
  else process.stdout.write(await run(values));
} catch (error) {
  process.stderr.write(`actions:images: ${messageOf(error)}\n`);
  process.exitCode = 1;
}

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

/** Returns what is printed at the end. */
async function run(values: Values): Promise<string> {
  const onProgress = (line: string): void => void process.stderr.write(`actions:images: ${line}\n`);
  const architectures = architecturesIn(values.arch);
  const { only, push: target, tag, out: outputDirectory } = values;
  // Wrong names are reported before anything is built.
  const chosen = only === undefined ? {} : { recipes: recipesNamed(only) };
  const settings = target === undefined ? undefined : await settingsFor(target, values);
  const cacheDirectory = `${REPOSITORY}.cache`;
  const images = await withCacheLock(cacheDirectory, () =>
    buildActionImages({ outputDirectory, cacheDirectory, architectures, ...chosen, onProgress }),
  );
  const pushed =
    target === undefined || settings === undefined
      ? []
      : await pushImages(images, { target, tag, settings, onProgress });
  const built = images.map(describe);
  if (values.json) return `${JSON.stringify({ directory: outputDirectory, images: built, pushed })}\n`;
  return summary(outputDirectory, built, pushed);
}

async function settingsFor(target: string, values: Values): Promise<RegistrySettings> {
  const { registry } = targetOf({ target, name: 'image2disk', tag: values.tag });
  const { REGISTRY_USERNAME: username, REGISTRY_PASSWORD: password } = process.env;
  const hasLogin = username !== undefined && password !== undefined;
  const file = values['ca-file'];
  return {
    credentials: hasLogin ? [{ registry, username, password }] : [],
    mirrors: {},
    plainHttp: values['plain-http'] ? [registry] : [],
    ...(file === undefined ? {} : { authorities: await readFile(file, 'utf8') }),
  };
}

interface Described {
  readonly name: string;
  readonly digest: string;
  readonly platforms: readonly string[];
  readonly bytes: number;
}

function describe({ name, platforms, blobs, manifests }: BuiltImage): Described {
  const bytes = blobs.reduce((sum, blob) => sum + blob.bytes.length, 0);
  return { name, digest: manifests.at(-1)?.digest ?? '', platforms, bytes };
}

function summary(directory: string, images: readonly Described[], pushed: readonly SentImage[]): string {
  const lines = images.map(
    ({ name, digest, platforms }) => `  ${name.padEnd(14)} ${digest}  ${platforms.join(', ')}\n`,
  );
  const sent = pushed.map(({ name }) => `  ${name}\n`);
  return [`${directory}\n`, ...lines, ...(sent.length === 0 ? [] : ['pushed:\n', ...sent])].join('');
}
