/** The certificate that a client of a TLS connection has shown. */
import type { TLSSocket } from 'node:tls';
import type { ClientCertificate } from '@tinkerbell/platform-contract';

/** Undefined when it has shown none. */
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
