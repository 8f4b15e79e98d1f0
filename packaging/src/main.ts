/** `npm run package` */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { VERSION } from '@tinkerbell/app-server';
import { architectureOf, architecturesIn } from '@tinkerbell/hook';
import { messageOf } from '@tinkerbell/platform-contract';
import { buildPackages } from './build-packages.ts';
import { CHECKOUT, maintainerOf, modifiedSecondsOf } from './build-place.ts';
import { checkedVersion } from './debian/control.ts';

const OWN_ARCHITECTURE = process.arch === 'arm64' ? 'aarch64' : 'x86_64';

const USAGE = `npm run package [-- --release] [-- --arch NAME] [-- --version VERSION] [-- --out DIR]

Builds the Debian packages of the server and of the in-memory OS, the container image of the server, and its npm package.
Writes a list of what is inside (SPDX), and SHA256SUMS of all files.
The same sources give the same bytes.

  --release          smallest files instead of the fastest build
  --arch NAME        x86_64 or aarch64 (default: ${OWN_ARCHITECTURE})
  --version VERSION  version of the packages (default: ${VERSION})
  --hook-dir DIR     the in-memory OS, as npm run hook writes it (default: out/hook)
  --out DIR          where to write them, one folder for each processor (default: out/packages)

SOURCE_DATE_EPOCH is the time of all files (default: the last commit). DEBFULLNAME and DEBEMAIL name the maintainer.
`;

const OPTIONS = {
  release: { type: 'boolean', default: false },
  arch: { type: 'string', default: OWN_ARCHITECTURE },
  version: { type: 'string', default: VERSION },
  'hook-dir': { type: 'string', default: join(CHECKOUT, 'out/hook') },
  out: { type: 'string', default: join(CHECKOUT, 'out/packages') },
  help: { type: 'boolean', default: false },
} as const;

try {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help) process.stdout.write(USAGE);
  else process.stdout.write(await run(values));
} catch (error) {
  process.stderr.write(`package: ${messageOf(error)}\n`);
  process.exitCode = 1;
}

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

/** Returns what is printed at the end. */
async function run(values: Values): Promise<string> {
  const [architecture, ...others] = architecturesIn(values.arch);
  if (architecture === undefined || others.length > 0) throw new Error('--arch takes one name');
  const paths = await buildPackages({
    architecture: architectureOf(architecture),
    version: checkedVersion(values.version),
    maintainer: maintainerOf(process.env),
    modifiedSeconds: modifiedSecondsOf(process.env),
    release: values.release,
    outputDirectory: values.out,
    hookDirectory: values['hook-dir'],
    cacheDirectory: join(CHECKOUT, '.cache'),
    onProgress: (line) => void process.stderr.write(`package: ${line}\n`),
  });
  return paths.map((path) => `${path}\n`).join('');
}
