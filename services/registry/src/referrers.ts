/** Manifests that refer to another one by their `subject`: OCI distribution specification v1.1, "Listing Referrers". */
import { readDescriptor, type Digest, type Manifest } from '@tinkerbell/oci';
import type { OwnedTree } from '@tinkerbell/platform-contract';
import { fileNameOf, referrersPath } from './layout.ts';
import { RegistryError } from './registry-error.ts';

/** More would make the list of one image too long to read. */
const REFERRERS_MAX = 10_000;
/** Descriptors contain annotations, which may be long. The next page has the rest. */
const PAGE_BYTES = 2 * 1024 * 1024;

interface OneManifest {
  readonly repository: string;
  readonly digest: Digest;
  readonly manifest: Manifest;
}

export async function addReferrer(
  tree: OwnedTree,
  { repository, digest, manifest, bytes }: OneManifest & { readonly bytes: Uint8Array },
): Promise<void> {
  const { subject, mediaType, annotations } = manifest;
  if (subject === undefined) return;
  const folder = referrersPath(repository, subject.digest);
  if ((await tree.list(folder)).length >= REFERRERS_MAX)
    throw new RegistryError('DENIED', `${REFERRERS_MAX} manifests refer to ${subject.digest}; delete some`);
  const descriptor = {
    mediaType,
    digest,
    size: bytes.length,
    artifactType: artifactTypeOf(manifest),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
  await tree.write(`${folder}/${fileNameOf(digest)}`, new TextEncoder().encode(JSON.stringify(descriptor)));
}

export async function removeReferrer(
  tree: OwnedTree,
  { repository, digest, manifest: { subject } }: OneManifest,
): Promise<void> {
  if (subject !== undefined)
    await tree.remove(`${referrersPath(repository, subject.digest)}/${fileNameOf(digest)}`);
}

export interface ReferrersPage {
  /** JSON texts. */
  readonly descriptors: readonly string[];
  /** Where the next page begins. Undefined: this is the last one. */
  readonly last?: string;
}

/** `last`: the name after which the page begins. */
export async function referrersOf(
  tree: OwnedTree,
  folder: string,
  { artifactType, last }: { artifactType: string | undefined; last: string },
): Promise<ReferrersPage> {
  const descriptors: string[] = [];
  let size = 0;
  let before = last;
  for (const { name } of await tree.list(folder)) {
    if (name <= last) continue;
    const bytes = await tree.read(`${folder}/${name}`);
    if (bytes === undefined) continue;
    const text = new TextDecoder().decode(bytes);
    if (artifactType !== undefined && readDescriptor(JSON.parse(text), name).artifactType !== artifactType)
      continue;
    if (size > 0 && size + text.length > PAGE_BYTES) return { descriptors, last: before };
    descriptors.push(text);
    size += text.length;
    before = name;
  }
  return { descriptors };
}

/** An image without a type of its own has that of its configuration. */
function artifactTypeOf(manifest: Manifest): string | undefined {
  if (manifest.artifactType !== undefined && manifest.artifactType !== '') return manifest.artifactType;
  return manifest.kind === 'image' ? manifest.config.mediaType : undefined;
}
