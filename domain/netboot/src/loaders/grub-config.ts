import type { LoaderTarget } from './loader-target.ts';
import { LoaderValueError } from './loader-value.ts';

/**
 * Returns a GRUB configuration that boots at once. Where Secure Boot's GRUB only knows `linuxefi`, `linux` fails and `linuxefi`
 * is tried.
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

/** Returns to the firmware, which continues with its next boot option: the disk. */
export function grubBootsDisk(): string {
  return ["echo 'Booting from the local disk...'", 'exit', ''].join('\n');
}

/**
 * `/path` is on the device from which GRUB was loaded. A URL is on another device: `(http,host:port)/path`. @throws
 * LoaderValueError
 */
function devicePath(path: string): string {
  const url = /^(https?|tftp):\/\/([^/(),]+)(\/.*)$/i.exec(path);
  if (url !== null) return `(${url[1]?.toLowerCase()},${url[2]})${url[3]}`;
  if (path.includes('://')) throw new LoaderValueError(`${path}: GRUB loads by http, https or tftp only`);
  return `/${path}`;
}

/** Quotes a word where a character could have a meaning to GRUB. No word contains a quote. */
function quoted(word: string): string {
  return /^[\w.,:/=@%+-]+$/.test(word) ? word : `'${word}'`;
}
