/** Certificates of a listener, chosen by the server name that a client sends. */
import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { messageOf } from '@tinkerbell/platform-contract';
import type { TlsSettings } from './route-file.ts';

export interface TlsMaterial {
  readonly contexts: readonly { readonly certificate: X509Certificate; readonly context: SecureContext }[];
  readonly first: KeyPairs;
  readonly clientCa?: string | undefined;
  readonly minVersion: TlsSettings['minVersion'];
  /** Differs when a file has changed. */
  readonly version: string;
}

/** The certificates of one name, with keys of different kinds. TLS chooses the one that the client supports. */
interface KeyPairs {
  readonly cert: string[];
  readonly key: string[];
}

/** Rejects with a message that names the file. */
export async function readTlsMaterial(
  tls: TlsSettings,
  readFile: (path: string) => Promise<string>,
): Promise<TlsMaterial> {
  const { minVersion, clientCaFile } = tls;
  const clientCa = clientCaFile === undefined ? undefined : await readFile(clientCaFile);
  const texts = await Promise.all(
    tls.certificates.map(async ({ certFile, keyFile }) => ({
      certFile,
      cert: await readFile(certFile),
      key: await readFile(keyFile),
    })),
  );
  const certificates = texts.map(({ certFile, cert, key }) => {
    try {
      createSecureContext({ cert, key, ca: clientCa, minVersion });
      return { certificate: new X509Certificate(cert), cert, key };
    } catch (cause) {
      throw new Error(`${certFile}: ${messageOf(cause)}`, { cause });
    }
  });
  const sites = Map.groupBy(certificates, ({ certificate }) => namesOf(certificate));
  const contexts = [...sites.values()].flatMap((pairs) => {
    const own = { cert: pairs.map(({ cert }) => cert), key: pairs.map(({ key }) => key) };
    const context = createSecureContext({ ...own, ca: clientCa, minVersion });
    return pairs.slice(0, 1).map(({ certificate }) => ({ certificate, context, own }));
  });
  const first = contexts[0]?.own;
  if (first === undefined) throw new Error('a listener with TLS needs a certificate');
  return { contexts, first, clientCa, minVersion, version: JSON.stringify([texts, clientCa, minVersion]) };
}

function namesOf({ subjectAltName, subject }: X509Certificate): string {
  return subjectAltName ?? subject;
}

/**
 * Returns the first one made for this name. Returns undefined for the listener's first, which the server
 * itself has. Node uses only the last key of a context chosen by name, while the server's own context has
 * them all.
 */
export function contextFor({ contexts }: TlsMaterial, servername: string): SecureContext | undefined {
  const found = contexts.find(({ certificate }) => certificate.checkHost(servername) !== undefined);
  return found === contexts[0] ? undefined : found?.context;
}
