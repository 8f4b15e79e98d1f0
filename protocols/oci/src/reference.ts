/**
 * Names of images: the grammar of the OCI distribution specification v1.1 for repositories and tags, and Docker's rules for
 * what a user may omit (`alpine` is `docker.io/library/alpine:latest`).
 */
import { readDigest, type Digest } from './digest.ts';
import { OciError } from './oci-error.ts';

export interface ImageReference {
  /** Host with an optional port: `quay.io`, `127.0.0.1:5000`. */
  readonly registry: string;
  /** Without the registry: `tinkerbell/actions/image2disk`. */
  readonly repository: string;
  /** `latest` when the text has neither a tag nor a digest. A digest takes precedence over a tag. */
  readonly tag?: string;
  readonly digest?: Digest;
}

const REPOSITORY = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;
/** Clients limit the length of registry and repository together to 255 (specification, "Pulling manifests"). */
const REPOSITORY_MAX = 255;
const TAG = /^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$/;
const REGISTRY = /^(?:\[[0-9a-fA-F:.]+\]|[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?)(?::[0-9]{1,5})?$/;
const DEFAULT_REGISTRY = 'docker.io';
const DEFAULT_TAG = 'latest';
const TEXT_MAX = 1024;

export function isRepository(text: string): boolean {
  return text.length <= REPOSITORY_MAX && REPOSITORY.test(text);
}

export function isTag(text: string): boolean {
  return TAG.test(text);
}

/** Throws an `OciError` that quotes the text and names what is wrong with it. */
export function parseReference(text: string): ImageReference {
  const shown = JSON.stringify(text.slice(0, 200));
  if (text.length > TEXT_MAX)
    throw new OciError('image', `${shown}... is longer than ${TEXT_MAX} characters`);
  const [named = '', digestText, ...more] = text.split('@');
  if (more.length > 0) throw new OciError('image', `${shown} has more than one "@"`);
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1);
  const place = checkedPlace(colon < 0 ? named : named.slice(0, colon), shown);
  if (colon >= 0 && !isTag(named.slice(colon + 1)))
    throw new OciError('image', `${shown} has an invalid tag; use letters, digits, "_", "." and "-"`);
  const tag = colon < 0 ? undefined : named.slice(colon + 1);
  if (digestText === undefined) return { ...place, tag: tag ?? DEFAULT_TAG };
  const digest = readDigest(digestText, `the digest of ${shown}`);
  return { ...place, ...(tag === undefined ? {} : { tag }), digest };
}

function checkedPlace(path: string, shown: string): { registry: string; repository: string } {
  const place = splitRegistry(path);
  if (!REGISTRY.test(place.registry)) throw new OciError('image', `${shown} has an invalid registry host`);
  if (isRepository(place.repository)) return place;
  throw new OciError(
    'image',
    `${shown} has an invalid repository; use lower-case letters, digits, ".", "_", "-" and "/"`,
  );
}

/** Docker's rule: the first part is a registry when it contains a dot or a colon, or is `localhost`. */
function splitRegistry(path: string): { registry: string; repository: string } {
  const slash = path.indexOf('/');
  const first = slash < 0 ? '' : path.slice(0, slash);
  const isHost = first === 'localhost' || /[.:]/.test(first);
  const registry = isHost ? first : DEFAULT_REGISTRY;
  const rest = isHost ? path.slice(slash + 1) : path;
  return { registry, repository: repositoryAt(registry, rest) };
}

/** Docker's rule: the images of Docker Hub without a namespace are in `library`. */
export function repositoryAt(registry: string, name: string): string {
  return registry === DEFAULT_REGISTRY && !name.includes('/') ? `library/${name}` : name;
}

/** The whole name, with every part that `parseReference` added. */
export function formatReference({ registry, repository, tag, digest }: ImageReference): string {
  return `${registry}/${repository}${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`;
}
