/** Pushes images to a registry of a test. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mediaTypes } from '@tinkerbell/oci';
import type { RegistryBench } from './registry-bench.ts';

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

export function digestOf(bytes: Uint8Array | string): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

export async function pushBlob(bench: RegistryBench, repository: string, content: string): Promise<string> {
  const digest = digestOf(content);
  const path = `/v2/${repository}/blobs/uploads/?digest=${digest}`;
  assert.equal((await bench.call('POST', path, { body: bytesOf(content) })).status, 201);
  return digest;
}

export function descriptorOf(mediaType: string, content: string) {
  return { mediaType, digest: digestOf(content), size: Buffer.byteLength(content) };
}

/** The text of a manifest. Its configuration is `{}`. */
export function manifestText(layers: readonly string[], more: object = {}): string {
  return JSON.stringify({
    schemaVersion: 2,
    mediaType: mediaTypes.imageManifest,
    config: descriptorOf(mediaTypes.imageConfig, '{}'),
    layers: layers.map((layer) => descriptorOf(mediaTypes.layer, layer)),
    ...more,
  });
}

export function putManifest(bench: RegistryBench, place: string, text: string): Promise<Response> {
  const contentType = (JSON.parse(text) as { mediaType: string }).mediaType;
  return bench.call('PUT', `/v2/${place}`, { body: text, headers: { 'content-type': contentType } });
}

/** Returns the digest of the manifest. */
export async function pushImage(
  bench: RegistryBench,
  [repository, tag]: readonly [string, string],
  layers: readonly string[],
): Promise<string> {
  for (const content of ['{}', ...layers]) await pushBlob(bench, repository, content);
  const answer = await putManifest(bench, `${repository}/manifests/${tag}`, manifestText(layers));
  assert.equal(answer.status, 201, await answer.text());
  return answer.headers.get('docker-content-digest') ?? '';
}

export async function errorOf(answer: Response): Promise<string> {
  const { errors } = (await answer.json()) as { errors: readonly { code: string; message: string }[] };
  return `${answer.status} ${errors[0]?.code}: ${errors[0]?.message}`;
}
