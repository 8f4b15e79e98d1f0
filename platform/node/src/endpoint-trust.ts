/** The certificate of an endpoint, and what a failed connection to it means. */
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { codeOf, errorOf, type EndpointFailure, type EndpointTrust } from '@tinkerbell/platform-contract';

/** The options of a TLS connection. Afterwards `problemOf` checks what they do not. */
export function verificationBy(
  trust: EndpointTrust,
): Pick<ConnectionOptions, 'rejectUnauthorized'> & { ca?: string[] } {
  const ca =
    trust.kind === 'authorities' && trust.certificates.length > 0 ? [...trust.certificates] : undefined;
  return { rejectUnauthorized: trust.kind === 'authorities', ...(ca === undefined ? {} : { ca }) };
}

/** Lower-case hex. */
export function certificateSha256Of(socket: TLSSocket): string {
  return socket.getPeerCertificate().fingerprint256.replaceAll(':', '').toLowerCase();
}

class WrongCertificate extends Error {}

export function problemOf(sha256: string, trust: EndpointTrust): Error | undefined {
  if (trust.kind !== 'pin' || trust.sha256 === sha256) return undefined;
  return new WrongCertificate(`the certificate has the SHA-256 ${sha256}, which is not the pinned one`);
}

const EXPIRED: ReadonlySet<string> = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);
/** OpenSSL's names of what is wrong with a chain, and Node's of a wrong name. */
const UNTRUSTED =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*|CERT_.*|INVALID_CA|ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/;

export function failureOf(
  thrown: unknown,
  { isOver, isConnected, isAborted }: { isOver: boolean; isConnected: boolean; isAborted: boolean },
): EndpointFailure {
  const code = codeOf(thrown) ?? '';
  if (isAborted) return 'aborted';
  if (isOver) return isConnected ? 'timed-out' : 'unreachable';
  if (thrown instanceof WrongCertificate) return 'untrusted-certificate';
  if (EXPIRED.has(code)) return 'expired-certificate';
  if (UNTRUSTED.test(code)) return 'untrusted-certificate';
  return isConnected && errorOf(thrown).message !== '' ? 'broken' : 'unreachable';
}
