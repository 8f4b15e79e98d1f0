import { FunctionError } from '@tinkerbell/go-template';

/**
 * What template functions need from the platform: a clock, randomness and cryptography.
 * `@tinkerbell/platform-template` implements it. Bytes are plain, and PEM texts end with a line break. No
 * member throws for a value that a template can pass.
 */
export interface TemplatePlatform {
  /** Since 1970. */
  readonly nowMs: () => number;
  readonly randomBytes: (count: number) => Uint8Array;
  readonly digest: (algorithm: 'sha1' | 'sha256' | 'sha512', data: Uint8Array) => Uint8Array;
  readonly hmacSha256: (key: Uint8Array, data: Uint8Array) => Uint8Array;
  /** scrypt with N 32768, r 8 and p 2. */
  readonly scrypt: (password: Uint8Array, salt: Uint8Array, size: number) => Uint8Array;
  /** bcrypt at cost 10, for at most 72 bytes. */
  readonly bcrypt: (password: Uint8Array) => string;
  /** AES-256 in CBC mode without padding, for whole blocks. */
  readonly aesCbc: (
    direction: 'encrypt' | 'decrypt',
    input: { readonly key: Uint8Array; readonly iv: Uint8Array; readonly data: Uint8Array },
  ) => Uint8Array;
  /** PEM. */
  readonly generateKey: (kind: KeyKind) => string;
  /** Returns why a PEM text is not a private key, or undefined when it is one. */
  readonly keyProblem: (pem: string) => string | undefined;
  /** Returns why a PEM text is not a certificate, or undefined when it is one. */
  readonly certificateProblem: (pem: string) => string | undefined;
  readonly certify: (request: CertificateRequest) => CertificateResult;
}

/** The size of RSA keys: `rsa` has 4096 bits, and `rsa-2048` is used for certificates. */
export type KeyKind = 'rsa' | 'rsa-2048' | 'dsa' | 'ecdsa' | 'ed25519';

export interface CertificateRequest {
  readonly commonName: string;
  readonly ips: readonly string[];
  readonly dnsNames: readonly string[];
  readonly daysValid: number;
  readonly isAuthority: boolean;
  /** PEM. */
  readonly key: string;
  /** Omitted: the certificate is signed with its own key. */
  readonly authority?: { readonly certificate: string; readonly key: string };
}

export type CertificateResult =
  | { readonly ok: true; readonly certificate: string; readonly key: string }
  | { readonly ok: false; readonly error: string };

/** Fails the function when its caller has no platform. */
export function platformOf(platform: TemplatePlatform | undefined, functionName: string): TemplatePlatform {
  if (platform !== undefined) return platform;
  throw new FunctionError(
    `${functionName} is not available here: it needs a clock, randomness or cryptography`,
  );
}
