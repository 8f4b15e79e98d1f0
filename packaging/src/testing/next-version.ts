/** Makes another version of a package, with the same programs in a folder of another name. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const NEXT_FOLDER = 'f'.repeat(16);

/** Returns the path of the package, which is not compressed. */
export function nextVersion(deb: string, version: string, work: string): string {
  const root = join(work, `package-${version}`);
  execFileSync('dpkg-deb', ['--raw-extract', deb, root]);
  const programs = join(root, 'usr/lib/tinkerbell/programs');
  const [folder = ''] = readdirSync(programs);
  renameSync(join(programs, folder), join(programs, NEXT_FOLDER));
  const edited = ['usr/bin/tinkerbell', 'usr/bin/tink', 'DEBIAN/postinst', 'DEBIAN/prerm', 'DEBIAN/md5sums'];
  for (const name of edited) {
    const path = join(root, name);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(folder, NEXT_FOLDER));
  }
  const control = join(root, 'DEBIAN/control');
  writeFileSync(control, readFileSync(control, 'utf8').replace(/^Version: .*$/m, `Version: ${version}`));
  const target = join(work, `tinkerbell_${version}.deb`);
  execFileSync('dpkg-deb', ['--root-owner-group', '-Znone', '--build', root, target], { stdio: 'pipe' });
  return target;
}
