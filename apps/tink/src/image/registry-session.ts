/** The registry of the server, as the commands use it: OCI distribution specification v1.1. */
import { decodeErrors, manifestMediaTypes, readDigest, type Digest } from '@tinkerbell/oci';
import { isRecord } from '@tinkerbell/resources';
import type { ApiClient } from '../client/client.ts';
import type { Answer, Exchange } from '../client/http-exchange.ts';
import { TinkFailure } from '../failure.ts';
import { printable } from '../output/printable.ts';
import type { SourceBlob, SourceManifest } from './image-source.ts';

/** The largest answer that is kept in memory: a manifest or a page of a list. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
/** More pages are a loop. */
const PAGES_MAX = 10_000;

type Request = Omit<Exchange, 'signal' | 'tls' | 'headers'> & Partial<Pick<Exchange, 'headers'>>;

export class RegistrySession {
  readonly #client: Pick<ApiClient, 'raw' | 'server'>;

  constructor(client: Pick<ApiClient, 'raw' | 'server'>) {
    this.#client = client;
  }

  /** Sends a blob, unless the repository has it. Returns whether it was sent. */
  async pushBlob(repository: string, { digest, sizeBytes, chunks }: SourceBlob): Promise<boolean> {
    if (await this.hasBlob(repository, digest)) return false;
    const begun = await this.#done(`/v2/${repository}/blobs/uploads/`, { method: 'POST' });
    await drained(begun);
    const location = new URL(begun.header('location'), this.#client.server);
    location.searchParams.set('digest', digest);
    const body = { chunks: chunks(), lengthBytes: sizeBytes };
    const headers = { 'content-type': 'application/octet-stream' };
    await drained(await this.#done(location.pathname + location.search, { method: 'PUT', headers, body }));
    return true;
  }

  /** The server keeps a blob that it was asked for, for as long as one that was pushed. */
  async hasBlob(repository: string, digest: Digest): Promise<boolean> {
    const head = await this.#sent(`/v2/${repository}/blobs/${digest}`, { method: 'HEAD' });
    await drained(head);
    return head.status === 200;
  }

  async pushManifest(repository: string, reference: string, manifest: SourceManifest): Promise<void> {
    const path = `/v2/${repository}/manifests/${reference}`;
    const body = new TextDecoder('utf-8', { ignoreBOM: true }).decode(manifest.bytes);
    const headers = { 'content-type': manifest.mediaType };
    await drained(await this.#done(path, { method: 'PUT', headers, body }));
  }

  async manifest(repository: string, reference: string): Promise<SourceManifest> {
    const path = `/v2/${repository}/manifests/${reference}`;
    const headers = { accept: manifestMediaTypes.join(', ') };
    const answer = await this.#done(path, { method: 'GET', headers });
    const digest = readDigest(answer.header('docker-content-digest'), 'Docker-Content-Digest');
    return { digest, mediaType: answer.contentType, bytes: await drained(answer) };
  }

  async blob(repository: string, digest: Digest): Promise<AsyncIterable<Uint8Array>> {
    return (await this.#done(`/v2/${repository}/blobs/${digest}`, { method: 'GET' })).body;
  }

  repositories(): Promise<readonly string[]> {
    return this.#pages('/v2/_catalog', 'repositories');
  }

  tags(repository: string): Promise<readonly string[]> {
    return this.#pages(`/v2/${repository}/tags/list`, 'tags');
  }

  async remove(repository: string, reference: string): Promise<void> {
    await drained(await this.#done(`/v2/${repository}/manifests/${reference}`, { method: 'DELETE' }));
  }

  async collectGarbage(): Promise<unknown> {
    return JSON.parse(
      new TextDecoder().decode(await drained(await this.#done('/v1/registry/gc', { method: 'POST' }))),
    );
  }

  async #pages(first: string, field: string): Promise<readonly string[]> {
    const all: string[] = [];
    let path: string | undefined = first;
    for (let count = 0; path !== undefined && count < PAGES_MAX; count += 1) {
      const answer: Answer = await this.#done(path, { method: 'GET' });
      const page: unknown = JSON.parse(new TextDecoder().decode(await drained(answer)));
      const list = isRecord(page) ? page[field] : undefined;
      if (Array.isArray(list)) all.push(...list.map(String));
      path = /^<(\/[^>]*)>/.exec(answer.header('link'))?.[1];
    }
    return all;
  }

  /** Throws a TinkFailure with the registry's words for an answer that is not a success. */
  async #done(path: string, request: Request): Promise<Answer> {
    const answer = await this.#sent(path, request);
    if (answer.status < 300) return answer;
    const [error] = decodeErrors(await drained(answer));
    const advice =
      answer.status === 401
        ? 'use tink login, TINK_TOKEN=..., or the data folder of the server (TINKERBELL_DATA_DIR)'
        : undefined;
    const text = error?.message ?? '';
    throw new TinkFailure(
      text === ''
        ? `the registry of ${this.#client.server} answered ${answer.status}; is it enabled (--registry-enabled)?`
        : printable(text),
      { advice },
    );
  }

  #sent(path: string, request: Request): Promise<Answer> {
    return this.#client.raw(path, { headers: {}, ...request });
  }
}

async function drained({ body }: Answer): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > ANSWER_BYTES_MAX)
      throw new TinkFailure(`an answer of the registry is larger than ${ANSWER_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
