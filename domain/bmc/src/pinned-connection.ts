/** The certificate of a BMC, pinned by an annotation of its Machine. A Task has a copy of it. */
import type { Connection } from '@tinkerbell/resources';

/** SHA-256 of the certificate, in hex. Upper case and colons, as `openssl x509 -fingerprint` prints it, are accepted. */
export const CERTIFICATE_ANNOTATION = 'tinkerbell.org/bmc-certificate-sha256';

export interface PinnedConnection extends Connection {
  /** In lower-case hex without colons. */
  readonly certificateSha256?: string;
  /** The key of the password in the Secret (default: `password`). */
  readonly passwordKey?: string;
}

interface Connected {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: { readonly connection?: Connection };
}

/** Returns undefined for a Machine or Task without a connection. */
export function pinnedConnection({ metadata, spec }: Connected): PinnedConnection | undefined {
  const connection = spec?.connection;
  const pin = metadata.annotations?.[CERTIFICATE_ANNOTATION]?.replaceAll(':', '').trim().toLowerCase();
  if (connection === undefined || pin === undefined || pin === '') return connection;
  return { ...connection, certificateSha256: pin };
}
