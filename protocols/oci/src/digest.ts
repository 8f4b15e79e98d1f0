/** Digests of the OCI image specification v1.1, section "Digests": `sha256:<64 hex digits>` or `sha512:<128 hex digits>`. */
import { OciError } from './oci-error.ts';

export type DigestAlgorithm = 'sha256' | 'sha512';
export type Digest = `${DigestAlgorithm}:${string}`;

const PATTERN = /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/;

export function isDigest(text: string): text is Digest {
  return PATTERN.test(text);
}

/** Throws an `OciError` that names `field`. */
export function readDigest(text: string, field = 'digest'): Digest {
  if (isDigest(text)) return text;
  throw new OciError(
    field,
    `"${text.slice(0, 200)}" is not a digest; write sha256: and 64 hexadecimal digits`,
  );
}

export function algorithmOf(digest: Digest): DigestAlgorithm {
  return digest.startsWith('sha512:') ? 'sha512' : 'sha256';
}

/** The part after the colon. */
export function hexOf(digest: Digest): string {
  return digest.slice(digest.indexOf(':') + 1);
}
