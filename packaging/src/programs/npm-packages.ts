/** The npm packages that the programs need, by the lock file. */

export interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** `packages` of package-lock.json: the entries by their folder, `node_modules/ws`. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>;

const FOLDER = 'node_modules/';

/** Returns the folder of the package that a file belongs to, or undefined for a source of ours. */
export function packageFolderOf(file: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
}

/** `@scope/name` of `node_modules/a/node_modules/@scope/name`. */
export function packageNameOf(folder: string): string {
  return folder.slice(folder.lastIndexOf(FOLDER) + FOLDER.length);
}

/** `@scope/name` of `@scope/name/file.js`. */
export function packageOfImport(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/**
 * Returns the folders of the named packages and of everything that they need, sorted. Optional packages are left out: each of them
 * is compiled at its installation, and runs without it.
 *
 * @throws Error for a package that is not in the lock file.
 */
export function neededPackages(locked: LockedPackages, names: readonly string[]): readonly string[] {
  const found = new Set<string>();
  const waiting = names.map((name) => resolved(locked, name, ''));
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    if (found.has(folder)) continue;
    found.add(folder);
    for (const name of needsOf(locked[folder] ?? {})) waiting.push(resolved(locked, name, folder));
  }
  return [...found].sort();
}

function needsOf({ dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }: LockedPackage) {
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  // Types do not run.
  return [...Object.keys(dependencies), ...peers].filter((name) => !name.startsWith('@types/'));
}

/** As Node resolves it: in the folder of the package that needs it, and then above. */
function resolved(locked: LockedPackages, name: string, from: string): string {
  for (let above = from; ; above = above.slice(0, Math.max(0, above.lastIndexOf(`/${FOLDER}`)))) {
    const folder = `${above === '' ? '' : `${above}/`}${FOLDER}${name}`;
    if (locked[folder] !== undefined) return folder;
    if (above === '')
      throw new Error(`package-lock.json has no ${name}, which ${from || 'the server'} needs`);
  }
}
