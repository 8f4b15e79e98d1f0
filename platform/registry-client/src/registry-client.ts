/** A client for the registries that serve one image after the other. */
import {
  choosePlatform,
  CONFIG_MAX_BYTES,
  formatReference,
  layerCompression,
  readImageConfig,
  type Descriptor,
  type ImageConfig,
  type ImageManifest,
  type ImageReference,
  type Platform,
} from '@tinkerbell/oci';
import {
  delay,
  errorOf,
  messageOf,
  PlatformError,
  type Clock,
  type Random,
} from '@tinkerbell/platform-contract';
import { streamBlob } from './blob-stream.ts';
import { EndpointSession } from './endpoint-session.ts';
import { endpointsFor } from './endpoints.ts';
import { getManifest, type PulledManifest } from './manifest-request.ts';
import type { RegistrySettings } from './registry-settings.ts';
import { createTransport, type Transport, type TransportLimits } from './transport.ts';

/** Attempts while registries are unreachable or overloaded. */
const ATTEMPTS_MAX = 5;
const BACKOFF_FIRST_MS = 250;

export interface PulledArtifact {
  readonly reference: ImageReference;
  readonly manifest: ImageManifest;
  /** The endpoint that has the manifest is the first. */
  readonly sessions: readonly EndpointSession[];
}

export interface PulledImage extends PulledArtifact {
  readonly config: ImageConfig;
}

export type BlobSource = Pick<PulledArtifact, 'reference' | 'sessions'>;

export interface RegistryClient {
  /** The manifest for this platform, of an image or of any other artifact. Rejects as `image` does. */
  artifact(reference: ImageReference, signal?: AbortSignal): Promise<PulledArtifact>;
  /** The image for this platform. Rejects with a PlatformError that names every endpoint that was asked. */
  image(reference: ImageReference, signal?: AbortSignal): Promise<PulledImage>;
  /** The bytes of a blob, in order. Fails with a PlatformError before its end unless size and digest are right. */
  blob(image: BlobSource, descriptor: Descriptor, signal?: AbortSignal): AsyncGenerator<Buffer, void>;
}

export interface RegistryClientOptions {
  readonly settings: RegistrySettings;
  readonly platform: Platform;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits?: TransportLimits;
}

export function createRegistryClient(options: RegistryClientOptions): RegistryClient {
  const { settings, clock, random } = options;
  const transport = createTransport(settings, options.limits);
  const blob: RegistryClient['blob'] = ({ sessions, reference: { repository } }, descriptor, signal) =>
    streamBlob({ sessions, repository, descriptor, clock, random, signal });
  const imageOf = async (found: PulledArtifact, signal?: AbortSignal): Promise<PulledImage> => {
    const config = await configOf(found.manifest, blob(found, found.manifest.config, signal));
    return { ...found, config };
  };
  const isFound = async (found: PulledArtifact): Promise<PulledArtifact> => found;
  return {
    blob,
    artifact: (reference, signal) => withRetries({ ...options, transport, reference, signal }, isFound),
    image: (reference, signal) => withRetries({ ...options, transport, reference, signal }, imageOf),
  };
}

interface Pull extends RegistryClientOptions, Wanted {
  readonly transport: Transport;
}

type Completion<Pulled> = (found: PulledArtifact, signal?: AbortSignal) => Promise<Pulled>;

async function withRetries<Pulled>(pull: Pull, complete: Completion<Pulled>): Promise<Pulled> {
  const { clock, random, signal } = pull;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await fromAnyEndpoint(pull, complete);
    } catch (thrown) {
      const mayRetry = thrown instanceof PlatformError && thrown.code === 'unavailable';
      if (!mayRetry || attempt >= ATTEMPTS_MAX || signal?.aborted) throw thrown;
    }
    const longest = BACKOFF_FIRST_MS * 2 ** attempt;
    await delay(clock, longest * (0.5 + random.fraction() / 2), signal);
  }
}

async function fromAnyEndpoint<Pulled>(pull: Pull, complete: Completion<Pulled>): Promise<Pulled> {
  const { reference, settings, transport, signal } = pull;
  const endpoints = endpointsFor(reference.registry, settings);
  const sessions = endpoints.map((endpoint) => new EndpointSession(endpoint, transport));
  const problems: Error[] = [];
  for (const [index, session] of sessions.entries()) {
    try {
      const manifest = await imageManifest(session, pull);
      const others = sessions.filter((_, other) => other !== index);
      return await complete({ reference, manifest, sessions: [session, ...others] }, signal);
    } catch (thrown) {
      if (signal?.aborted) throw thrown;
      problems.push(errorOf(thrown));
    }
  }
  throw severalProblems(problems);
}

/** The registry itself is asked last, so that its answer decides. */
function severalProblems(problems: readonly Error[]): PlatformError {
  const last = problems.at(-1);
  const code = last instanceof PlatformError ? last.code : 'unavailable';
  return new PlatformError(code, problems.toReversed().map(messageOf).join('; '), { cause: last });
}

interface Wanted {
  readonly reference: ImageReference;
  readonly platform: Platform;
  readonly signal?: AbortSignal | undefined;
}

async function imageManifest(
  session: EndpointSession,
  { reference, platform, signal }: Wanted,
): Promise<ImageManifest> {
  const { repository } = reference;
  const top: PulledManifest = await getManifest(session, { ...reference, signal });
  if (top.manifest.kind === 'image') return top.manifest;
  const chosen = choosePlatform(top.manifest.manifests, platform);
  const name = formatReference(reference);
  if (chosen === undefined) {
    const offered = top.manifest.manifests.flatMap(({ platform: one }) =>
      one === undefined ? [] : [`${one.os}/${one.architecture}`],
    );
    throw new PlatformError(
      'not-found',
      `${name} has no image for ${platform.os}/${platform.architecture}; it has ${offered.slice(0, 20).join(', ')}`,
    );
  }
  const { manifest } = await getManifest(session, { repository, digest: chosen.digest, signal });
  if (manifest.kind === 'image') return manifest;
  throw new PlatformError('damaged', `${name}: its index refers to another index`);
}

async function configOf(
  { config, layers }: ImageManifest,
  bytes: AsyncGenerator<Buffer, void>,
): Promise<ImageConfig> {
  if (config.size > CONFIG_MAX_BYTES)
    throw new PlatformError('too-large', `the image's configuration exceeds ${CONFIG_MAX_BYTES} bytes`);
  const chunks: Buffer[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  const read = readImageConfig(Buffer.concat(chunks));
  const odd = layers.find(({ mediaType }) => layerCompression(mediaType) === undefined);
  if (odd !== undefined)
    throw new PlatformError(
      'damaged',
      `a layer has the media type ${odd.mediaType}, which is not a file system`,
    );
  if (read.diffIds.length === layers.length) return read;
  throw new PlatformError(
    'damaged',
    `the image has ${layers.length} layers, and its configuration lists ${read.diffIds.length}`,
  );
}
