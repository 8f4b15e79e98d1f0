/** Decides who may open the console of which machine (upstream SecondStar): the user name is a Hardware, and the key is one of its own. */
import { type Hardware } from '@tinkerbell/resources';
import { hardwareCollection, type View } from '@tinkerbell/store-contract';

export interface OfferedKey {
  /** `ssh-ed25519` */
  readonly algorithm: string;
  readonly blob: Uint8Array;
}

export type Admission =
  | { readonly ok: true; readonly hardware: Hardware }
  | { readonly ok: false; readonly reason: 'no-such-hardware' | 'several-hardware' | 'no-such-key' };

/** `namespace/name` also names a Hardware whose name is not unique. */
export function admissionOf(view: View, user: string, key: OfferedKey): Admission {
  const named = hardwareNamed(view, user);
  if (named.length === 0) return { ok: false, reason: 'no-such-hardware' };
  const [hardware, ...others] = named;
  if (hardware === undefined || others.length > 0) return { ok: false, reason: 'several-hardware' };
  const known = hardware.spec?.metadata?.instance?.ssh_keys ?? [];
  return known.some((line) => isKey(line, key))
    ? { ok: true, hardware }
    : { ok: false, reason: 'no-such-key' };
}

function hardwareNamed(view: View, user: string): readonly Hardware[] {
  const at = user.indexOf('/');
  if (at >= 0)
    return [view.hardwareNamed(user.slice(0, at), user.slice(at + 1))].filter((one) => one !== undefined);
  return hardwareCollection.all(view).filter(({ metadata }) => metadata.name === user);
}

/** A line of `authorized_keys`: options, algorithm, base64, comment. */
function isKey(line: string, { algorithm, blob }: OfferedKey): boolean {
  const words = line.trim().split(/\s+/);
  const at = words.indexOf(algorithm);
  const text = words[at + 1];
  return at >= 0 && text !== undefined && text.replace(/=+$/, '') === blob.toBase64().replace(/=+$/, '');
}
