import { createRequire } from 'node:module';
import type { CertificateRequest, CertificateResult } from '@tinkerbell/template';
import type * as Certificate from './certificate.ts';

export { ecdsaKey, generateKey, readKey, rsaKey } from './private-key.ts';

const require = createRequire(import.meta.url);
const certificates = (): typeof Certificate => require('./certificate.ts');

/**
 * Creates and signs a certificate that is valid from `nowMs`. A refusal uses the words of Go's x509 package.
 */
export function certify(request: CertificateRequest, nowMs: number): CertificateResult {
  return certificates().certify(request, nowMs);
}

/** Returns why a PEM text is not a certificate, in the words of Go's x509 package. Returns undefined when it is one. */
export function certificateProblem(pem: string): string | undefined {
  return certificates().certificateProblem(pem);
}
