import { createRequire } from 'node:module';
import type { CertificateRequest, CertificateResult } from '@tinkerbell/template';
import type { certificateProblem as problemOf, certify as issue } from './certificate.ts';

export { ecdsaKey, generateKey, readKey, rsaKey } from './private-key.ts';

const require = createRequire(import.meta.url);
const certificates = () =>
  require('./certificate.ts') as {
    readonly certify: typeof issue;
    readonly certificateProblem: typeof problemOf;
  };

/** Makes and signs a certificate that is good from `nowMs`. A refusal is in the words of Go's x509 package. */
export function certify(request: CertificateRequest, nowMs: number): CertificateResult {
  return certificates().certify(request, nowMs);
}

/** Why a PEM text is no certificate, in the words of Go's x509 package; undefined when it is one. */
export function certificateProblem(pem: string): string | undefined {
  return certificates().certificateProblem(pem);
}
