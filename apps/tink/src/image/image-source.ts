/** An image on this machine, ready to be pushed: an OCI layout, or the archive of `docker save`. */
import { createHash } from 'node:crypto';
import {
  mediaTypes,
  OciError,
  parseReference,
  readDescriptor,
  readDigest,
  readManifest,
  type Descriptor,
  type Digest,
} from '@tinkerbell/oci';
import { isRecord } from '@tinkerbell/resources';
import { TinkFailure } from '../failure.ts';
import { CONTAINER_IMAGE, type ImageFiles } from './image-files.ts';

export interface SourceBlob {
  readonly digest: Digest;
  readonly sizeBytes: number;
  readonly chunks: () => AsyncIterable<Uint8Array>;
}

export interface SourceManifest {
  readonly digest: Digest;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export interface ImageSource {
  readonly blobs: readonly SourceBlob[];
  /** Those that others name come first. The last one is the image. */
  readonly manifests: readonly SourceManifest[];
}

const REF_NAME = 'org.opencontainers.image.ref.name';

/** `chosen`: the tag or name of one image in an archive of several. Throws a TinkFailure that names what is wrong. */
export async function imageSourceOf(files: ImageFiles, chosen: string | undefined): Promise<ImageSource> {
  if ((await files.size('index.json')) !== undefined) return layoutSource(files, chosen);
  if ((await files.size('manifest.json')) !== undefined) return dockerSource(files, chosen);
  throw new TinkFailure(`${files.shown} has neither index.json nor manifest.json`, {
    advice: CONTAINER_IMAGE,
  });
}

async function layoutSource(files: ImageFiles, chosen: string | undefined): Promise<ImageSource> {
  const index = await jsonOf(files, 'index.json');
  const entries = listIn(isRecord(index) ? index['manifests'] : undefined, 'index.json').map(
    (entry, position) => readDescriptor(entry, `index.json: manifests[${position}]`),
  );
  const names = entries.map(({ annotations, digest }) => annotations[REF_NAME] ?? digest);
  const root = entries[chosenOne(files, names, chosen)];
  if (root === undefined) throw new TinkFailure(`${files.shown} has no image`);
  const manifests = new Map<Digest, SourceManifest>();
  const blobs = new Map<Digest, SourceBlob>();
  await addManifest(files, root, { manifests, blobs });
  return { manifests: [...manifests.values()], blobs: [...blobs.values()] };
}

interface Found {
  readonly manifests: Map<Digest, SourceManifest>;
  readonly blobs: Map<Digest, SourceBlob>;
}

async function addManifest(files: ImageFiles, wanted: Descriptor, found: Found): Promise<void> {
  const { digest, mediaType } = wanted;
  if (found.manifests.has(digest)) return;
  const bytes = await required(files, blobName(digest));
  const manifest = readManifest(bytes, mediaType);
  if (manifest.kind === 'index')
    for (const child of manifest.manifests) await addManifest(files, child, found);
  else for (const blob of [manifest.config, ...manifest.layers]) await addBlob(files, blob, found);
  found.manifests.set(digest, { digest, mediaType, bytes });
}

async function addBlob(files: ImageFiles, { digest, mediaType }: Descriptor, found: Found): Promise<void> {
  const name = blobName(digest);
  const sizeBytes = await files.size(name);
  // Layers that must not be distributed are not part of archives.
  if (sizeBytes === undefined && /\.(?:nondistributable|foreign)\./.test(mediaType)) return;
  if (sizeBytes === undefined) throw new TinkFailure(`${files.shown} is incomplete: it has no ${name}`);
  found.blobs.set(digest, { digest, sizeBytes, chunks: () => files.chunks(name) });
}

/** Docker before 25: layers are plain tar files, and their digests are computed here. */
async function dockerSource(files: ImageFiles, chosen: string | undefined): Promise<ImageSource> {
  const images = listIn(await jsonOf(files, 'manifest.json'), 'manifest.json').filter(isRecord);
  const names = images.map(({ RepoTags: tags }) => (Array.isArray(tags) ? tags.join(',') : ''));
  const image = images[chosenOne(files, names, chosen)];
  if (image === undefined) throw new TinkFailure(`${files.shown} has no image`);
  const config = await hashedBlob(files, image['Config']);
  const layers: SourceBlob[] = [];
  for (const name of listIn(image['Layers'], 'manifest.json: Layers'))
    layers.push(await hashedBlob(files, name));
  const describe = (mediaType: string, { digest, sizeBytes: size }: SourceBlob) => ({
    mediaType,
    digest,
    size,
  });
  const manifest = {
    schemaVersion: 2,
    mediaType: mediaTypes.imageManifest,
    config: describe(mediaTypes.imageConfig, config),
    layers: layers.map((layer) => describe(mediaTypes.layer, layer)),
  };
  const bytes = new TextEncoder().encode(JSON.stringify(manifest));
  const digest = readDigest(`sha256:${createHash('sha256').update(bytes).digest('hex')}`);
  return { blobs: [config, ...layers], manifests: [{ digest, mediaType: manifest.mediaType, bytes }] };
}

async function hashedBlob(files: ImageFiles, name: unknown): Promise<SourceBlob> {
  const sizeBytes = typeof name === 'string' ? await files.size(name) : undefined;
  if (typeof name !== 'string' || sizeBytes === undefined)
    throw new TinkFailure(`${files.shown} is incomplete: it has no ${JSON.stringify(name)}`);
  const hash = createHash('sha256');
  for await (const chunk of files.chunks(name)) hash.update(chunk);
  return { digest: readDigest(`sha256:${hash.digest('hex')}`), sizeBytes, chunks: () => files.chunks(name) };
}

/** Names are `v1`, `docker.io/library/a:v1`, or several of them. */
function chosenOne(files: ImageFiles, names: readonly string[], chosen: string | undefined): number {
  if (chosen === undefined && names.length <= 1) return 0;
  const fits = (name: string): boolean =>
    name.split(',').some((one) => one === chosen || one.endsWith(`:${chosen}`));
  const position = chosen === undefined ? -1 : names.findIndex(fits);
  if (position >= 0) return position;
  throw new TinkFailure(
    chosen === undefined
      ? `${files.shown} has ${names.length} images`
      : `${files.shown} has no image ${JSON.stringify(chosen)}`,
    { advice: `choose one with --image: ${names.slice(0, 20).join(', ')}` },
  );
}

export function blobName(digest: Digest): string {
  return `blobs/${digest.replace(':', '/')}`;
}

async function required(files: ImageFiles, name: string): Promise<Uint8Array> {
  const bytes = await files.read(name);
  if (bytes === undefined) throw new TinkFailure(`${files.shown} is incomplete: it has no ${name}`);
  return bytes;
}

async function jsonOf(files: ImageFiles, name: string): Promise<unknown> {
  try {
    return JSON.parse(new TextDecoder().decode(await required(files, name)));
  } catch (thrown) {
    if (thrown instanceof SyntaxError) throw new TinkFailure(`${files.shown}: ${name} is not JSON`);
    throw thrown;
  }
}

function listIn(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new TinkFailure(`${what} has no list of images or layers`);
}

const ANY_REGISTRY = 'this.server/';

/** A name on this server: `lab/tool`, `lab/tool:v1` or `lab/tool@sha256:...`. */
export function nameOnServer(text: string): { repository: string; reference: string } {
  const { repository, tag = 'latest', digest } = parsed(text);
  return { repository, reference: digest ?? tag };
}

/** The parser needs a registry. Its errors show only what the user wrote. */
function parsed(text: string): ReturnType<typeof parseReference> {
  try {
    return parseReference(`${ANY_REGISTRY}${text}`);
  } catch (thrown) {
    if (!(thrown instanceof OciError)) throw thrown;
    const reason = thrown.message.slice(`${thrown.field}: `.length);
    throw new OciError(thrown.field, reason.replace(ANY_REGISTRY, ''));
  }
}
