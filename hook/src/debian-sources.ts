/**
 * Reads this machine's own apt sources, so that a build uses the mirror that the operator chose and no other.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface DebianMirror {
  readonly uri: string;
  /** For example `bookworm` or `bookworm-security`. */
  readonly suite: string;
  readonly components: readonly string[];
  /** The key ring file, when the source names one. */
  readonly signedBy: string | undefined;
}

const CODE_NAMES = ['bullseye', 'bookworm', 'trixie', 'forky', 'sid', 'stable', 'testing'];

/** Returns the sources in `/etc/apt`, in reading order, without other vendors' repositories. */
export async function readDebianMirrors(root = '/etc/apt'): Promise<readonly DebianMirror[]> {
  const names = await readdir(join(root, 'sources.list.d')).catch(() => []);
  const files = [
    join(root, 'sources.list'),
    ...names.sort().map((name) => join(root, 'sources.list.d', name)),
  ];
  const mirrors: DebianMirror[] = [];
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch(() => '');
    mirrors.push(...(file.endsWith('.sources') ? parseDeb822Sources(text) : parseOneLineSources(text)));
  }
  return mirrors.filter(
    (mirror) => mirror.components.includes('main') && CODE_NAMES.includes(mirror.suite.split('-')[0] ?? ''),
  );
}

/** Reads the deb822 form: stanzas of `Key: value`, separated by blank lines. sources.list(5). */
export function parseDeb822Sources(text: string): readonly DebianMirror[] {
  const withoutComments = text.replaceAll(/^#.*\n?/gm, '');
  return withoutComments.split(/\n\s*\n/).flatMap((stanza) => {
    const field = (name: string): readonly string[] =>
      (new RegExp(`^${name}:(.*)$`, 'im').exec(stanza)?.[1] ?? '').trim().split(/\s+/).filter(Boolean);
    if (!field('Types').includes('deb') || field('Enabled')[0] === 'no') return [];
    return field('URIs').flatMap((uri) =>
      field('Suites').map((suite) => ({
        uri,
        suite,
        components: field('Components'),
        signedBy: field('Signed-By')[0],
      })),
    );
  });
}

/** Reads the older form: `deb [options] uri suite component...` per line. sources.list(5). */
export function parseOneLineSources(text: string): readonly DebianMirror[] {
  return text.split('\n').flatMap((line) => {
    const parts = /^deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s+(.+)$/.exec(line.trim());
    if (parts === null) return [];
    const [, options, uri = '', suite = '', components = ''] = parts;
    return [
      {
        uri,
        suite,
        components: components.trim().split(/\s+/),
        signedBy: /signed-by=(\S+)/.exec(options ?? '')?.[1],
      },
    ];
  });
}

/**
 * Returns one-line apt sources for `suite` and its security updates, on this machine's mirrors.
 *
 * @throws Error when the machine has no Debian mirror in its apt sources.
 */
export function sourcesFor(suite: string, mirrors: readonly DebianMirror[]): string {
  const archive = mirrors.find((mirror) => !mirror.suite.includes('-'));
  if (archive === undefined) {
    throw new Error(
      'no Debian mirror in /etc/apt: add a source with component main, then run apt-get update',
    );
  }
  const security = mirrors.find((mirror) => mirror.suite.endsWith('-security'));
  const lines = [sourceLine(archive, suite)];
  if (security !== undefined) lines.push(sourceLine(security, `${suite}-security`));
  return `${lines.join('\n')}\n`;
}

function sourceLine(mirror: DebianMirror, suite: string): string {
  const options = mirror.signedBy === undefined ? '' : `[signed-by=${mirror.signedBy}] `;
  return `deb ${options}${mirror.uri} ${suite} main`;
}
