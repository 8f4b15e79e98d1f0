/** Reads the certificate that a client of a TLS connection presented. */
import type { TLSSocket } from 'node:tls';
import type { ClientCertificate } from '@tinkerbell/platform-contract';

/** Returns undefined when the client presented none. */
export function clientCertificateOf(socket: TLSSocket): ClientCertificate | undefined {
  const { subject } = socket.getPeerCertificate() as Partial<ReturnType<TLSSocket['getPeerCertificate']>>;
  if (subject === undefined) return undefined;
  if (!socket.authorized) return { isVerified: false, message: String(socket.authorizationError) };
  const [commonName] = textsOf(subject.CN);
  return { isVerified: true, commonName: commonName ?? '', organizations: textsOf(subject.O) };
}

function textsOf(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}
