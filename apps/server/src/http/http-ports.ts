/**
 * The HTTP ports: the main one, the same over TLS, the local one for commands of this machine, and the old one of the metadata
 * service.
 */
import { readFile } from 'node:fs/promises';
import {
  messageOf,
  PlatformError,
  type Http,
  type HttpHandler,
  type HttpRoute,
  type HttpServer,
  type Log,
} from '@tinkerbell/platform-contract';
import { createHttpFront, type FrontOptions } from './http-front.ts';
import { SettingsError } from '../settings/settings-error.ts';
import type { LocalCredential } from '../local/local-credential.ts';
import type { Settings } from '../settings/settings.ts';

interface HttpPortsInput extends Omit<FrontOptions, 'apiAnonymous' | 'apiAnonymousHosts'> {
  readonly http: Http;
  readonly log: Log;
  readonly credential: LocalCredential;
}

export interface HttpPorts extends AsyncDisposable {
  readonly main: HttpServer['local'];
  readonly kubeconfig: string;
}

/** If a required port is unavailable or a TLS file is unreadable, closes everything and rejects. */
export async function openHttpPorts(settings: Settings, input: HttpPortsInput): Promise<HttpPorts> {
  const { http } = input;
  const { apiAnonymous, apiAnonymousHosts } = settings;
  const front = createHttpFront({ ...input, apiAnonymous, apiAnonymousHosts });
  await using cleanup = new AsyncDisposableStack();
  const main = cleanup.use(await http.listen(settings.http, front));
  const { https } = settings;
  if (https !== undefined) {
    const { address, port } = https;
    const { clientCaFile } = settings.access;
    const tls = {
      certificate: await pem(https.certFile, 'tls-cert-file'),
      key: await pem(https.keyFile, 'tls-key-file'),
      ...(clientCaFile === undefined ? {} : { clientAuthorities: await pem(clientCaFile, 'client-ca-file') }),
    };
    cleanup.use(await http.listen({ address, port, tls }, front));
  }
  const local = cleanup.use(await localApiPort(settings, input, front));
  for (const port of settings.stackPorts)
    cleanup.use(await http.listen({ address: settings.http.address, port }, machineFront(settings, input)));
  const legacy = await legacyMetadataPort(settings, input);
  if (legacy !== undefined) cleanup.use(legacy);
  const opened = cleanup.move();
  const kubeconfig = input.credential.writeKubeconfig({ https: local.local.port, http: main.local.port });
  return { main: main.local, kubeconfig, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** The routes for machines, without the API and its web console. */
function machineFront({ apiAnonymous, apiAnonymousHosts }: Settings, input: HttpPortsInput): HttpHandler {
  const serves = ({ access, name }: HttpRoute): boolean => access !== 'api' && name !== 'console';
  return createHttpFront({ ...input, serves, apiAnonymous, apiAnonymousHosts });
}

/** Always open: kubectl sends tokens only over TLS, and the certificate proves the identity of the server. */
async function localApiPort(
  { localApiPort: port }: Settings,
  { http, log, credential: { tls } }: HttpPortsInput,
  front: HttpHandler,
): Promise<HttpServer> {
  const address = '127.0.0.1';
  try {
    return await http.listen({ address, port, tls }, front);
  } catch (thrown) {
    if (!(thrown instanceof PlatformError) || thrown.code !== 'address-in-use') throw thrown;
    const server = await http.listen({ address, port: 0, tls }, front);
    log.warn('the local API uses another port', { reason: thrown.message, port: server.local.port });
    return server;
  }
}

/** This port is optional, so if it is in use, the server still starts. */
async function legacyMetadataPort(
  { legacyMetadataPort: port, http: { address }, apiAnonymous, apiAnonymousHosts }: Settings,
  input: HttpPortsInput,
): Promise<HttpServer | undefined> {
  if (port === undefined) return undefined;
  const { http, log } = input;
  const services = input.services.filter(({ name }) => name === 'metadata');
  try {
    return await http.listen(
      { address, port },
      createHttpFront({ ...input, services, apiAnonymous, apiAnonymousHosts }),
    );
  } catch (thrown) {
    if (!(thrown instanceof PlatformError)) throw thrown;
    log.warn('the old metadata port is unavailable', {
      reason: thrown.message,
      flag: '--tootles-legacy-port=0 disables it',
    });
    return undefined;
  }
}

async function pem(file: string, flag: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    throw new SettingsError(`--${flag}: cannot read ${file}: ${messageOf(thrown)}`);
  }
}
