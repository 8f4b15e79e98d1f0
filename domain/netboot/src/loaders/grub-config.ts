import type { LoaderTarget } from './loader-target.ts';
import { LoaderValueError } from './loader-value.ts';

/**
 * A GRUB configuration that boots at once. `linux` fails where Secure Boot's GRUB only knows `linuxefi`, which is tried then.
 */
export function grubConfig(target: LoaderTarget): string {
  const kernel = [devicePath(target.kernel), ...target.commandLine].map(quoted).join(' ');
  const initrd = quoted(devicePath(target.initrd));
  return [
    'set default=0',
    'set timeout=0',
    "menuentry 'Tinkerbell' {",
    "  echo 'Loading the in-memory OS...'",
    `  if linux ${kernel}; then`,
    `    initrd ${initrd}`,
    '  else',
    `    linuxefi ${kernel}`,
    `    initrdefi ${initrd}`,
    '  fi',
    '}',
    '',
  ].join('\n');
}

/** Back to the firmware, which goes on to its next boot option: the disk. */
export function grubBootsDisk(): string {
  return ["echo 'Booting from the local disk...'", 'exit', ''].join('\n');
}

/** `/path` is on the device GRUB came from; a URL is another one: `(http,host:port)/path`. @throws LoaderValueError */
function devicePath(path: string): string {
  const url = /^(https?|tftp):\/\/([^/(),]+)(\/.*)$/i.exec(path);
  if (url !== null) return `(${url[1]?.toLowerCase()},${url[2]})${url[3]}`;
  if (path.includes('://')) throw new LoaderValueError(`${path}: GRUB loads by http, https or tftp only`);
  return `/${path}`;
}

/** Quoted where a character could mean something to GRUB; no word holds a quote. */
function quoted(word: string): string {
  return /^[\w.,:/=@%+-]+$/.test(word) ? word : `'${word}'`;
}
