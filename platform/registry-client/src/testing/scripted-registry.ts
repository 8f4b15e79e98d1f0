/** A server on loopback that answers as a test says, and records what it was asked. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { Digest } from '@tinkerbell/oci';
import { linuxPlatform, mediaTypes, parseReference, type Descriptor } from '@tinkerbell/oci';
import { createRegistryClient, type RegistryClient, type RegistrySettings } from '../index.ts';

export interface Asked {
  readonly url: string;
  readonly authorization: string | undefined;
  readonly range: string | undefined;
}

export interface ScriptedRegistry {
  readonly host: string;
  readonly asked: readonly Asked[];
}

export type Script = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

export async function scriptedRegistry(context: TestContext, script: Script): Promise<ScriptedRegistry> {
  const asked: Asked[] = [];
  const server = createServer((incoming, outgoing) => {
    const { authorization, range } = incoming.headers;
    asked.push({ url: incoming.url ?? '', authorization, range });
    script(incoming, outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

export function digestOf(bytes: Uint8Array): Digest {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** An image with one layer. `files` has every manifest and blob by its path below the repository. */
export function smallImage(layer: Buffer): { files: Map<string, Buffer>; layer: Descriptor } {
  const files = new Map<string, Buffer>();
  const stored = (bytes: Buffer, mediaType: string): Descriptor => {
    files.set(`blobs/${digestOf(bytes)}`, bytes);
    return { mediaType, digest: digestOf(bytes), size: bytes.length, annotations: {} };
  };
  const { architecture } = linuxPlatform(process.arch);
  const config = { architecture, os: 'linux', rootfs: { type: 'layers', diff_ids: [digestOf(layer)] } };
  const layerDescriptor = stored(layer, mediaTypes.layer);
  const manifest = {
    schemaVersion: 2,
    mediaType: mediaTypes.imageManifest,
    config: stored(Buffer.from(JSON.stringify(config)), mediaTypes.imageConfig),
    layers: [layerDescriptor],
  };
  const bytes = Buffer.from(JSON.stringify(manifest));
  files.set('manifests/latest', bytes);
  files.set(`manifests/${digestOf(bytes)}`, bytes);
  return { files, layer: layerDescriptor };
}

/** Answers with the file of the path, or with status 404. */
export function serveFiles(files: ReadonlyMap<string, Buffer>, repository = 'a'): Script {
  return (incoming, outgoing) => {
    const path = (incoming.url ?? '').replace(`/v2/${repository}/`, '');
    const bytes = files.get(path);
    if (bytes !== undefined) return outgoing.end(bytes);
    outgoing.statusCode = 404;
    outgoing.end('{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}');
  };
}

export const noSettings: RegistrySettings = { credentials: [], mirrors: {}, plainHttp: [] };

/** Waits are skipped, and time limits of sockets are short. */
export function clientFor(settings: Partial<RegistrySettings>, idleTimeoutMs = 60_000): RegistryClient {
  return createRegistryClient({
    settings: { ...noSettings, ...settings },
    platform: linuxPlatform(process.arch),
    clock: {
      nowMs: () => 0,
      monotonicMs: () => 0,
      schedule(_, task) {
        setImmediate(task);
        return () => undefined;
      },
    },
    random: { bytes: (count) => new Uint8Array(count), fraction: () => 0 },
    limits: { connectTimeoutMs: 10_000, idleTimeoutMs },
  });
}

/** Pulls the image `a` from the host and returns its layer. */
export async function pullLayer(client: RegistryClient, host: string): Promise<Buffer> {
  const image = await client.image(parseReference(`${host}/a`));
  const chunks: Buffer[] = [];
  for (const descriptor of image.manifest.layers)
    for await (const chunk of client.blob(image, descriptor)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
