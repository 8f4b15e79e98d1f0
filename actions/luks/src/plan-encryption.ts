/** Decides what must be done so that a device is encrypted with a key. It destroys nothing without `wipe`. */
import type { Settings } from './settings.ts';

export interface DeviceFacts {
  /** In libblkid's words. */
  readonly signatures: readonly string[];
  /** Undefined for a device that is not encrypted. */
  readonly opensWithKey: boolean | undefined;
  /** The device behind /dev/mapper/NAME, if there is one. */
  readonly openedFrom: string | undefined;
}

export interface EncryptionSteps {
  readonly format: boolean;
  readonly open: boolean;
}

export type EncryptionPlan =
  | { readonly ok: true; readonly steps: EncryptionSteps }
  | { readonly ok: false; readonly error: string };

export function planEncryption(
  { device, name, wipe }: Pick<Settings, 'device' | 'name' | 'wipe'>,
  { signatures, opensWithKey, openedFrom }: DeviceFacts,
): EncryptionPlan {
  if (openedFrom !== undefined && openedFrom !== device)
    return refusal(`/dev/mapper/${name} is ${openedFrom}: choose another NAME`);
  const isOpen = openedFrom !== undefined;
  if (opensWithKey === true)
    return { ok: true, steps: { format: false, open: name !== undefined && !isOpen } };
  if (isOpen) return refusal(`${device} is open as /dev/mapper/${name}, and has another key`);
  if (opensWithKey === false && !wipe)
    return refusal(`${device} is encrypted with another key: set WIPE=true to replace it with its data`);
  if (signatures.length > 0 && !wipe)
    return refusal(`${device} has ${signatures.join(', ')}: set WIPE=true to replace it`);
  return { ok: true, steps: { format: true, open: name !== undefined } };
}

function refusal(error: string): EncryptionPlan {
  return { ok: false, error };
}
