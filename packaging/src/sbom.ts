/** A list of everything inside the artefacts: SPDX 2.3 in JSON. */
import { createHash } from 'node:crypto';
import type { LockedPackages } from './programs/npm-packages.ts';
import { packageNameOf } from './programs/npm-packages.ts';

export interface Component {
  readonly name: string;
  readonly version: string;
  /** Package URL: `pkg:npm/ws@8.23.0`. */
  readonly purl: string;
  /** An SPDX license expression, if it is known. */
  readonly license?: string;
  /** In hexadecimal. */
  readonly sha512?: string;
}

interface BillRequest {
  readonly version: string;
  readonly modifiedSeconds: number;
  readonly components: readonly Component[];
}

const UNKNOWN = 'NOASSERTION';
const ROOT = 'SPDXRef-tinkerbell';

/** Returns the document as JSON. The same components give the same bytes. */
export function billOfMaterials({ version, modifiedSeconds, components }: BillRequest): string {
  const sorted = components.toSorted((one, other) => (one.purl < other.purl ? -1 : 1));
  const packages = [rootPackage(version), ...sorted.map(packageOf)];
  const hash = createHash('sha256').update(JSON.stringify(packages)).digest('hex').slice(0, 32);
  const document = {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `tinkerbell-${version}`,
    documentNamespace: `https://tinkerbell.org/spdx/tinkerbell-${version}-${hash}`,
    creationInfo: {
      created: new Date(modifiedSeconds * 1000).toISOString().replace('.000Z', 'Z'),
      creators: ['Tool: npm run package'],
    },
    packages,
    relationships: [
      relationship('SPDXRef-DOCUMENT', 'DESCRIBES', ROOT),
      ...sorted.map((component) => relationship(ROOT, 'CONTAINS', idOf(component))),
    ],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function rootPackage(version: string) {
  return {
    SPDXID: ROOT,
    name: 'tinkerbell',
    versionInfo: version,
    downloadLocation: UNKNOWN,
    filesAnalyzed: false,
    licenseConcluded: UNKNOWN,
    licenseDeclared: 'Apache-2.0',
    copyrightText: UNKNOWN,
  };
}

function packageOf(component: Component) {
  const { name, version, purl, license = UNKNOWN, sha512 } = component;
  return {
    SPDXID: idOf(component),
    name,
    versionInfo: version,
    downloadLocation: UNKNOWN,
    filesAnalyzed: false,
    licenseConcluded: UNKNOWN,
    licenseDeclared: license,
    copyrightText: UNKNOWN,
    ...(sha512 === undefined ? {} : { checksums: [{ algorithm: 'SHA512', checksumValue: sha512 }] }),
    externalRefs: [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl }],
  };
}

/** An identifier has only letters, digits, points and hyphens. */
function idOf({ purl }: Component): string {
  return `SPDXRef-${purl.replace(/^pkg:/, '').replaceAll(/[^A-Za-z0-9.-]+/g, '-')}`;
}

function relationship(from: string, relationshipType: string, to: string) {
  return { spdxElementId: from, relationshipType, relatedSpdxElement: to };
}

/** Returns the npm packages of these folders, as the lock file has them. */
export function npmComponents(locked: LockedPackages, folders: readonly string[]): readonly Component[] {
  const components = folders.map((folder) => {
    const { version = '', license, integrity = '' } = locked[folder] ?? {};
    const name = packageNameOf(folder);
    const digest = /^sha512-(.+)$/.exec(integrity)?.[1];
    return {
      name,
      version,
      purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
      ...(license === undefined ? {} : { license }),
      ...(digest === undefined ? {} : { sha512: Buffer.from(digest, 'base64').toString('hex') }),
    };
  });
  // A version may be in several folders.
  return [...new Map(components.map((component) => [component.purl, component])).values()];
}

/** `libc6_2.36-9_amd64.deb`, with a colon in the version as `%3a`. */
const DEB_NAME = /^([^_]+)_([^_]+)_([^_]+)\.deb$/;

/** Returns a Debian package by the name of its file. Throws a TypeError for any other name. */
export function debianComponent(fileName: string): Component {
  const [, name, encoded, architecture] = DEB_NAME.exec(fileName) ?? [];
  if (name === undefined || encoded === undefined || architecture === undefined)
    throw new TypeError(`${fileName} is not the name of a Debian package`);
  const version = decodeURIComponent(encoded);
  return { name, version, purl: debianUrl({ name, version, architecture }) };
}

export function debianUrl(one: {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
}): string {
  return `pkg:deb/debian/${encodeURIComponent(one.name)}@${encodeURIComponent(one.version)}?arch=${one.architecture}`;
}
