/**
 * Reads enough of grub.cfg to boot its default entry, in the form that update-grub and grub2-mkconfig write.
 */

export interface BootEntry {
  readonly kernelPath: string;
  readonly initramfsPaths: readonly string[];
  readonly commandLine: string;
}

interface Entry {
  readonly title: string;
  readonly lines: string[];
}

/** Returns the default entry, or undefined when no entry names a kernel. */
export function defaultBootEntry(text: string): BootEntry | undefined {
  const entries = readEntries(text);
  const wanted = /^\s*set default="?([^"$\s]+)"?\s*$/m.exec(text)?.[1] ?? '0';
  const chosen = /^\d+$/.test(wanted)
    ? entries[Number(wanted)]
    : entries.find((entry) => entry.title === wanted);
  const candidates = chosen === undefined ? entries : [chosen, ...entries];
  return candidates.map(bootEntryOf).find((entry) => entry !== undefined);
}

function readEntries(text: string): readonly Entry[] {
  const entries: Entry[] = [];
  for (const line of text.split('\n')) {
    const title = /^\s*menuentry\s+(?:'([^']*)'|"([^"]*)")/.exec(line);
    if (title !== null) entries.push({ title: title[1] ?? title[2] ?? '', lines: [] });
    else entries.at(-1)?.lines.push(line.trim());
  }
  return entries;
}

function bootEntryOf(entry: Entry): BootEntry | undefined {
  const wordsAfter = (command: RegExp): readonly string[] | undefined => {
    const line = entry.lines.find((candidate) => command.test(candidate));
    return line?.split(/\s+/).slice(1).filter(Boolean);
  };
  const [kernelPath, ...rest] = wordsAfter(/^linux(16|efi)?\s/) ?? [];
  if (kernelPath === undefined) return undefined;
  return {
    kernelPath,
    initramfsPaths: wordsAfter(/^initrd(16|efi)?\s/) ?? [],
    commandLine: rest.join(' '),
  };
}
