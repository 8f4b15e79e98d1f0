import { FunctionError } from '@tinkerbell/go-template';

/**
 * What template functions need of the world: a clock, randomness and cryptography. `@tinkerbell/platform-template` has
 * the real one. Bytes are plain; PEM texts end with a line break. No member throws for what a template can give it.
 */
export interface TemplatePlatform {
  /** Since 1970. */
  readonly nowMs: () => number;
  readonly randomBytes: (count: number) => Uint8Array;
  readonly digest: (algorithm: 'sha1' | 'sha256' | 'sha512', data: Uint8Array) => Uint8Array;
  readonly hmacSha256: (key: Uint8Array, data: Uint8Array) => Uint8Array;
  /** N 32768, r 8, p 2. */
  readonly scrypt: (password: Uint8Array, salt: Uint8Array, size: number) => Uint8Array;
  /** At cost 10; at most 72 bytes. */
  readonly bcrypt: (password: Uint8Array) => string;
  /** AES-256 in CBC mode without padding; the data are whole blocks. */
  readonly aesCbc: (
    direction: 'encrypt' | 'decrypt',
    input: { readonly key: Uint8Array; readonly iv: Uint8Array; readonly data: Uint8Array },
  ) => Uint8Array;
  /** PEM. */
  readonly generateKey: (kind: KeyKind) => string;
  /** Why a PEM text is no private key; undefined when it is one. */
  readonly keyProblem: (pem: string) => string | undefined;
  /** Why a PEM text is no certificate; undefined when it is one. */
  readonly certificateProblem: (pem: string) => string | undefined;
  readonly certify: (request: CertificateRequest) => CertificateResult;
}

/** The bits of RSA: `rsa` is 4096, `rsa-2048` is what certificates get. */
export type KeyKind = 'rsa' | 'rsa-2048' | 'dsa' | 'ecdsa' | 'ed25519';

export interface CertificateRequest {
  readonly commonName: string;
  readonly ips: readonly string[];
  readonly dnsNames: readonly string[];
  readonly daysValid: number;
  readonly isAuthority: boolean;
  /** PEM. */
  readonly key: string;
  /** Signs with its own key when left out. */
  readonly authority?: { readonly certificate: string; readonly key: string };
}

export type CertificateResult =
  | { readonly ok: true; readonly certificate: string; readonly key: string }
  | { readonly ok: false; readonly error: string };

/** Fails the function when its caller gave no platform. */
export function platformOf(platform: TemplatePlatform | undefined, functionName: string): TemplatePlatform {
  if (platform !== undefined) return platform;
  throw new FunctionError(
    `${functionName} is not available here: it needs a clock, randomness or cryptography`,
  );
}
