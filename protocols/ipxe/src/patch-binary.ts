import { encodeUtf8 } from '@tinkerbell/wire';

/** The two comment lines in the embedded script of upstream's iPXE builds. A custom patch overwrites them. */
export const PATCH_PLACEHOLDER =
  '#a8b7e61f1075c37a793f2f92cee89f7bba00c4a8d7842ce3d40b5889032d8881\n' +
  '#ddd16a4fc4926ecefdfb6941e33c44ed3647133638f5e84021ea44d3152e7f97';

export type PatchedBinary =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly code: 'too-long' | 'no-placeholder'; readonly message: string };

/**
 * Returns a copy of an iPXE binary in which the placeholder is replaced by `patch`, padded with spaces to the same length. Fails
 * when the patch is longer than the placeholder (131 bytes) or the binary has no placeholder, as in stock builds.
 */
export function patchIpxeBinary(binary: Uint8Array, patch: string): PatchedBinary {
  const placeholder = encodeUtf8(PATCH_PLACEHOLDER);
  const replacement = encodeUtf8(patch);
  if (replacement.length > placeholder.length) {
    const message = `the patch has ${replacement.length} bytes, the placeholder ${placeholder.length}`;
    return { ok: false, code: 'too-long', message };
  }
  const at = indexOf(binary, placeholder);
  if (at < 0) return { ok: false, code: 'no-placeholder', message: 'the binary has no placeholder to patch' };
  const bytes = binary.slice();
  bytes.fill(0x20, at, at + placeholder.length);
  bytes.set(replacement, at);
  return { ok: true, bytes };
}

function indexOf(bytes: Uint8Array, wanted: Uint8Array): number {
  const first = wanted[0] ?? 0;
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (wanted.every((byte, index) => bytes[at + index] === byte)) return at;
  }
  return -1;
}
