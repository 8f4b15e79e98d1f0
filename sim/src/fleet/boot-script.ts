/** What a machine reads in its iPXE script: where kernel and initramfs are, and the kernel arguments. */

export interface BootScript {
  /** URLs of the kernel and then of each initramfs. */
  readonly images: readonly string[];
  /** The kernel arguments that are a name and a value. */
  readonly arguments: ReadonlyMap<string, string>;
}

const REPLACEMENTS_MAX = 8;

export function bootScriptIn(text: string): BootScript {
  const settings = new Map<string, string>();
  const images: string[] = [];
  let words: readonly string[] = [];
  // The next line continues one that ends with a backslash.
  for (const line of text.replaceAll(/\\\n/g, ' ').split('\n')) {
    const [command = '', ...rest] = replaced(line, settings).trim().split(/\s+/);
    if (command === 'set') settings.set((rest[0] ?? '').replace(/:.*/, ''), rest.slice(1).join(' '));
    if (command !== 'kernel' && command !== 'initrd') continue;
    const url = rest.find((word) => /^https?:\/\//.test(word));
    if (url !== undefined) images.push(url);
    if (command === 'kernel') words = rest;
  }
  return { images, arguments: new Map(words.filter((word) => word.includes('=')).map(pairOf)) };
}

function pairOf(word: string): readonly [string, string] {
  const at = word.indexOf('=');
  return [word.slice(0, at), word.slice(at + 1)];
}

/** Settings that the script does not set, such as `${mac}`, stay. A setting may contain others. */
function replaced(line: string, settings: ReadonlyMap<string, string>): string {
  let text = line;
  for (let count = 0; count < REPLACEMENTS_MAX; count += 1) {
    const next = text.replaceAll(/\$\{([^}]+)\}/g, (whole, name: string) => settings.get(name) ?? whole);
    if (next === text) return text;
    text = next;
  }
  return text;
}
