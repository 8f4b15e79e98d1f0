/** The version in the files that have it. Pure. */
import { isRecord } from '@tinkerbell/yaml/json';

/** SemVer 2.0.0, without build metadata, which Debian's version numbers would need escaped. */
const VERSION = /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[0-9A-Za-z]+(?:\.[0-9A-Za-z]+)*)?$/;
const OWN_SCOPE = '@tinkerbell/';
const DEPENDENCIES = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];

/** @throws Error that shows what is allowed. */
export function checkedReleaseVersion(text: string): string {
  if (VERSION.test(text)) return text;
  throw new Error(`version ${JSON.stringify(text)} must be like 1.2.3 or 1.2.3-rc.1`);
}

/** Returns a package.json with the version, also where it names packages of this repository. */
export function packageWithVersion(text: string, version: string): string {
  return `${JSON.stringify(withVersion(recordIn(text, 'package.json'), version), null, 2)}\n`;
}

/** Returns package-lock.json with the version of the packages of this repository. */
export function lockWithVersion(text: string, version: string): string {
  const lock = recordIn(text, 'package-lock.json');
  const packages = isRecord(lock['packages']) ? lock['packages'] : {};
  const changed = Object.entries(packages).map(([path, one]) => {
    const isOwn = isRecord(one) && !path.includes('node_modules/') && one['version'] !== undefined;
    return [path, isOwn ? withVersion(one, version) : one];
  });
  return `${JSON.stringify({ ...lock, version, packages: Object.fromEntries(changed) }, null, 2)}\n`;
}

/** Returns the source that declares `VERSION`. @throws Error when it does not. */
export function sourceWithVersion(text: string, version: string): string {
  const changed = text.replace(/(VERSION = ')[^']*(')/, `$1${version}$2`);
  if (!changed.includes(`VERSION = '${version}'`)) throw new Error('the source declares no VERSION');
  return changed;
}

/** Returns Chart.yaml with the version of the chart and of the program. @throws Error when it has neither. */
export function chartWithVersion(text: string, version: string): string {
  const changed = text
    .replace(/^version: .*$/m, `version: ${version}`)
    .replace(/^appVersion: .*$/m, `appVersion: "${version}"`);
  if (!changed.includes(`\nversion: ${version}`)) throw new Error('Chart.yaml has no version');
  return changed;
}

/** Returns the compose file with the image of the version. @throws Error when it has none. */
export function composeWithVersion(text: string, version: string): string {
  const changed = text.replaceAll(/tinkerbell(:|_)\d\S*?(?=_oci\.tar|$)/gm, `tinkerbell$1${version}`);
  if (!changed.includes(`image: tinkerbell:${version}\n`)) throw new Error('the compose file has no image');
  return changed;
}

function withVersion(one: Readonly<Record<string, unknown>>, version: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(one).map(([key, value]) => {
      if (key === 'version') return [key, version];
      return [key, DEPENDENCIES.includes(key) && isRecord(value) ? ownWithVersion(value, version) : value];
    }),
  );
}

function ownWithVersion(dependencies: Readonly<Record<string, unknown>>, version: string) {
  return Object.fromEntries(
    Object.entries(dependencies).map(([name, wanted]) => [
      name,
      name.startsWith(OWN_SCOPE) ? version : wanted,
    ]),
  );
}

function recordIn(text: string, file: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value)) throw new Error(`${file} is not an object`);
  return value;
}
