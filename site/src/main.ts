/** `npm run docs:site`: the documents of this repository as static HTML. */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { renderSite, repositoryOf, STYLE_PATH, type Documents, type Site } from './index.ts';

const USAGE = `npm run docs:site -- [--out DIR]

Writes the Markdown files of this repository as a site of static HTML, which any web server can serve and a browser can open from the
disk. It has no script and loads nothing from other hosts. A broken link is an error, and nothing is written.

  --out DIR  a new or empty folder, or an earlier site, which is replaced (default: out/site)
`;

const root = join(import.meta.dirname, '../..');
/** Marks a folder that may be replaced. */
const MARK = '.docs-site';

process.exitCode = main();

function main(): number {
  const options = readOptions(process.argv.slice(2));
  if (typeof options === 'string') return fail(options);
  if (options.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const folder = resolve(options.out);
  const obstacle = obstacleIn(folder);
  if (obstacle !== undefined) return fail(`--out ${options.out}: ${obstacle}; name a new folder`);
  const site = renderSite(readDocuments());
  for (const { path, line, link, why } of site.brokenLinks)
    process.stderr.write(`${path}:${line}: broken link ${link}: ${why}\n`);
  if (site.brokenLinks.length > 0)
    return fail(`broken links: ${site.brokenLinks.length}; correct them, nothing was written`);
  writeSite(folder, site);
  const { pages, linkCount, images } = site;
  process.stdout.write(
    `${pages.size} pages, ${linkCount} links and ${images.length} images are in ${folder}\n`,
  );
  return 0;
}

/** Returns the options, or what is wrong with them. */
function readOptions(args: readonly string[]): { readonly out: string; readonly help: boolean } | string {
  try {
    return parseArgs({
      args: [...args],
      options: {
        out: { type: 'string', default: join(root, 'out/site') },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`;
  }
}

/** Returns why a site must not replace this folder. */
function obstacleIn(folder: string): string | undefined {
  if (!existsSync(folder) || existsSync(join(folder, MARK))) return undefined;
  if (!statSync(folder).isDirectory()) return 'it is a file';
  return readdirSync(folder).length > 0 ? 'the folder has other files' : undefined;
}

/** Files that git ignores are no documents. */
function readDocuments(): Documents {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(root, file)));
  const read = (file: string): string => readFileSync(join(root, file), 'utf8');
  return {
    pages: new Map(files.filter((file) => file.endsWith('.md')).map((file) => [file, read(file)])),
    files: new Set(files),
    repository: repositoryOf(JSON.parse(read('package.json'))),
  };
}

function writeSite(folder: string, { pages, images }: Site): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, MARK), '');
  const place = (path: string): string => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    return join(folder, path);
  };
  for (const [path, html] of pages) writeFileSync(place(path), html);
  for (const path of images) copyFileSync(join(root, path), place(path));
  copyFileSync(join(import.meta.dirname, STYLE_PATH), place(STYLE_PATH));
}

function fail(message: string): number {
  process.stderr.write(`docs:site: ${message}\n`);
  return 1;
}
