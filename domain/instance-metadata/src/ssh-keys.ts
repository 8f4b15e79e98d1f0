import type { Hardware } from '@tinkerbell/resources';

/** Returns the keys that may log in, one per line, without blank entries. */
export function sshKeysOf(hardware: Hardware): readonly string[] {
  const keys = hardware.spec?.metadata?.instance?.ssh_keys ?? [];
  return keys.flatMap((key) => key.split(/[\r\n]+/)).flatMap((line) => line.trim() || []);
}
