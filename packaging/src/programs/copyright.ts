/** The copyright file of a package: our license, and those of everything inside. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageNameOf, type LockedPackages } from './npm-packages.ts';

const OURS = `Copyright (C) 2026 the authors of Tinkerbell in TypeScript

Tinkerbell in TypeScript is licensed under the Apache License, Version 2.0.
On Debian systems its text is in /usr/share/common-licenses/Apache-2.0.
`;

const IPXE = `The iPXE binaries are those of Debian's package ipxe, unchanged. They are free software: GPL-2 or later, with parts
under other licenses. Their source is Debian's source package ipxe, at https://deb.debian.org/debian/pool/main/i/ipxe/.
On Debian systems the text of the GPL is in /usr/share/common-licenses/GPL-2.
`;

const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;
const RULE = `\n${'-'.repeat(78)}\n\n`;

interface CopyrightRequest {
  readonly checkout: string;
  readonly locked: LockedPackages;
  /** Folders of the npm packages inside. */
  readonly npmPackages: readonly string[];
  /** The text of Node's license. */
  readonly nodeLicense: string;
  readonly hasIpxe: boolean;
}

export function copyrightText(request: CopyrightRequest): string {
  const { checkout, locked, npmPackages, nodeLicense, hasIpxe } = request;
  const parts = npmPackages.map((folder) => {
    const { version = '', license = 'see its text' } = locked[folder] ?? {};
    const texts = licenseTexts(join(checkout, folder));
    return `${packageNameOf(folder)} ${version}\nLicense: ${license}\n\n${texts.join('\n')}`;
  });
  return [OURS, ...(hasIpxe ? [IPXE] : []), `Node.js\n\n${nodeLicense}`, ...parts].join(RULE);
}

function licenseTexts(directory: string): readonly string[] {
  const names = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENSE_FILE.test(entry.name))
    .map(({ name }) => name)
    .sort();
  return names.map((name) => readFileSync(join(directory, name), 'utf8').replaceAll('\r\n', '\n'));
}
