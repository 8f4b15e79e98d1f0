/**
 * The TLS connections of one endpoint. A request gets a connection only after the certificate is verified, so that no credential
 * reaches an endpoint that is not trusted.
 */
import { createHash } from 'node:crypto';
import type { ClientRequestArgs } from 'node:http';
import { Agent } from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect, type TLSSocket } from 'node:tls';
import { EndpointError, type EndpointTrust } from '@tinkerbell/platform-contract';

/** BMCs have few sockets, and a session sends one request at a time. */
export const KEEP_ALIVE = { keepAlive: true, maxSockets: 1, maxFreeSockets: 1 } as const;

/** Codes of Node for a certificate at the wrong time. */
const TIME_PROBLEMS: readonly string[] = ['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'];

type SocketReady = (error: Error | null, socket: Duplex) => void;

export class EndpointAgent extends Agent {
  readonly #trust: EndpointTrust;
  readonly #onCertificate: (sha256: string) => void;
  readonly #opening = new Set<TLSSocket>();

  constructor(trust: EndpointTrust, onCertificate: (sha256: string) => void) {
    super(KEEP_ALIVE);
    this.#trust = trust;
    this.#onCertificate = onCertificate;
  }

  override createConnection({ host, port, timeout }: ClientRequestArgs, ready?: SocketReady): undefined {
    const name = host ?? 'localhost';
    const socket = connect({
      host: name,
      port: Number(port),
      ...(isIP(name) === 0 ? { servername: name } : {}),
      ...(this.#trust.kind === 'authorities' ? { ca: [...this.#trust.certificates] } : {}),
      // Verification happens below, after the fingerprint is known.
      rejectUnauthorized: false,
    });
    const fail = (error: Error): void => ready?.(error, socket);
    this.#opening.add(socket);
    // The request may have ended by then. This ends the attempt to connect.
    const late = new EndpointError('unreachable', `no connection within ${timeout} ms`);
    const timer = setTimeout(() => socket.destroy(late), timeout);
    const settled = (): void => {
      clearTimeout(timer);
      this.#opening.delete(socket);
    };
    socket.once('close', settled);
    socket.once('error', fail);
    socket.once('secureConnect', () => {
      settled();
      socket.off('error', fail);
      // A second handshake could show another certificate.
      socket.disableRenegotiation();
      const sha256 = fingerprintOf(socket);
      this.#onCertificate(sha256);
      const problem = trustProblem(socket, this.#trust, sha256);
      if (problem === undefined) return ready?.(null, socket);
      socket.destroy();
      ready?.(problem, socket);
    });
  }

  override destroy(): void {
    for (const socket of this.#opening) socket.destroy();
    super.destroy();
  }
}

function fingerprintOf(socket: TLSSocket): string {
  return createHash('sha256').update(socket.getPeerCertificate().raw).digest('hex');
}

function trustProblem(socket: TLSSocket, trust: EndpointTrust, sha256: string): EndpointError | undefined {
  switch (trust.kind) {
    case 'any':
      return undefined;
    case 'pin':
      if (sha256 === trust.sha256) return undefined;
      return new EndpointError(
        'untrusted-certificate',
        `the certificate has the SHA-256 ${sha256}, and the pin is ${trust.sha256}`,
      );
    case 'authorities': {
      if (socket.authorized) return undefined;
      const why = String(socket.authorizationError);
      const code = TIME_PROBLEMS.includes(why) ? 'expired-certificate' : 'untrusted-certificate';
      return new EndpointError(code, `the certificate is refused: ${why}`);
    }
  }
}
