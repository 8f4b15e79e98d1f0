/** The ports that speak HTTP: the main one, the same over TLS, and the old one of the metadata service. */
import { readFile } from 'node:fs/promises';
import { PlatformError, type Http, type HttpServer, type Log } from '@tinkerbell/platform-contract';
import { createHttpFront, type FrontOptions } from './http-front.ts';
import { SettingsError } from './flag-reader.ts';
import type { Settings } from './settings.ts';

interface HttpPortsInput extends Omit<FrontOptions, 'apiAnonymous'> {
  readonly http: Http;
  readonly log: Log;
}

export interface HttpPorts extends AsyncDisposable {
  readonly main: HttpServer['local'];
}

/** Rejects, with everything closed again, when a port that is needed cannot be had or a TLS file cannot be read. */
export async function openHttpPorts(settings: Settings, input: HttpPortsInput): Promise<HttpPorts> {
  const { http } = input;
  const front = createHttpFront({ ...input, apiAnonymous: settings.apiAnonymous });
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
  const legacy = await legacyMetadataPort(settings, input);
  if (legacy !== undefined) cleanup.use(legacy);
  const opened = cleanup.move();
  return { main: main.local, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Few need it: that somebody else has the port is no reason not to start. */
async function legacyMetadataPort(
  { legacyMetadataPort: port, http: { address }, apiAnonymous }: Settings,
  input: HttpPortsInput,
): Promise<HttpServer | undefined> {
  if (port === undefined) return undefined;
  const { http, log } = input;
  const services = input.services.filter(({ name }) => name === 'metadata');
  try {
    return await http.listen({ address, port }, createHttpFront({ ...input, services, apiAnonymous }));
  } catch (thrown) {
    if (!(thrown instanceof PlatformError)) throw thrown;
    log.warn('no metadata on the old port', {
      reason: thrown.message,
      flag: '--tootles-legacy-port=0 to do without',
    });
    return undefined;
  }
}

async function pem(file: string, flag: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    throw new SettingsError(`--${flag}: cannot read ${file}: ${(thrown as Error).message}`);
  }
}
