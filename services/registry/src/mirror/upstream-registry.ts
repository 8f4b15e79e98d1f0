/** Another registry, from which images are pulled without a credential: OCI distribution specification v1.1, "Pull". */
import {
  isDigest,
  manifestMediaTypes,
  MANIFEST_MAX_BYTES,
  parseChallenges,
  readToken,
  tokenQuery,
  type Digest,
} from '@tinkerbell/oci';
import {
  PlatformError,
  type Clock,
  type HttpClient,
  type HttpClientResponse,
  type HttpTarget,
} from '@tinkerbell/platform-contract';

export interface UpstreamManifest {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export interface UpstreamBlob {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly lengthBytes: number | undefined;
}

/** Every call resolves with undefined when the registry does not have it, and rejects when it is unreachable. */
export interface UpstreamRegistry {
  /** What a tag names at the moment. */
  digestOf(repository: string, tag: string): Promise<Digest | undefined>;
  manifest(repository: string, reference: string): Promise<UpstreamManifest | undefined>;
  blob(repository: string, digest: Digest): Promise<UpstreamBlob | undefined>;
}

export interface UpstreamParts {
  readonly httpClient: HttpClient;
  readonly clock: Clock;
  /** Without a slash at its end: `https://quay.io`. */
  readonly url: string;
  readonly mayConnect: (target: HttpTarget) => boolean;
}

const ACCEPT = { accept: manifestMediaTypes.join(', ') };
const TOKEN_BYTES_MAX = 64 * 1024;
const TOKENS_MAX = 1000;

interface Asked {
  readonly method?: 'GET' | 'HEAD';
  readonly headers?: Readonly<Record<string, string>>;
}

export function createUpstreamRegistry(parts: UpstreamParts): UpstreamRegistry {
  const tokens = new Tokens(parts);
  async function answerTo(
    repository: string,
    path: string,
    asked: Asked,
  ): Promise<HttpClientResponse | undefined> {
    const url = `${parts.url}/v2/${repository}/${path}`;
    const ask = (authorization: string | undefined) =>
      parts.httpClient.get(url, {
        ...asked,
        mayConnect: parts.mayConnect,
        ...(authorization === undefined ? {} : { ownHeaders: { authorization } }),
      });
    let answer = await ask(tokens.known(repository));
    if (answer.status === 401) {
      await answer.body.cancel();
      answer = await ask(await tokens.fetched(repository, answer.headers.get('www-authenticate') ?? ''));
    }
    if (answer.status === 200) return answer;
    await answer.body.cancel();
    // Registries answer 401 and 403 for repositories that do not exist.
    if ([401, 403, 404].includes(answer.status)) return undefined;
    throw new PlatformError('unavailable', `${parts.url} answered ${answer.status}`);
  }
  return {
    async digestOf(repository, tag) {
      const answer = await answerTo(repository, `manifests/${tag}`, { method: 'HEAD', headers: ACCEPT });
      await answer?.body.cancel();
      const digest = answer?.headers.get('docker-content-digest') ?? '';
      return isDigest(digest) ? digest : undefined;
    },
    async manifest(repository, reference) {
      const answer = await answerTo(repository, `manifests/${reference}`, { headers: ACCEPT });
      if (answer === undefined) return undefined;
      const mediaType = answer.headers.get('content-type')?.split(';')[0]?.trim() ?? '';
      return { mediaType, bytes: await limited(answer, MANIFEST_MAX_BYTES) };
    },
    async blob(repository, digest) {
      const answer = await answerTo(repository, `blobs/${digest}`, {});
      if (answer === undefined) return undefined;
      const length = answer.headers.get('content-length');
      return {
        chunks: answer.body,
        lengthBytes: length !== null && /^[0-9]{1,15}$/.test(length) ? Number(length) : undefined,
      };
    },
  };
}

/** Tokens that everyone gets, by repository. */
class Tokens {
  readonly #parts: UpstreamParts;
  readonly #kept = new Map<string, { readonly authorization: string; readonly untilMs: number }>();

  constructor(parts: UpstreamParts) {
    this.#parts = parts;
  }

  known(repository: string): string | undefined {
    const kept = this.#kept.get(repository);
    return kept !== undefined && kept.untilMs > this.#parts.clock.monotonicMs()
      ? kept.authorization
      : undefined;
  }

  /** Returns undefined when the registry offers no token without a credential. */
  async fetched(repository: string, header: string): Promise<string | undefined> {
    const challenge = parseChallenges(header).find(({ scheme }) => scheme === 'bearer');
    const realm = URL.parse(challenge?.parameters['realm'] ?? '');
    if (challenge === undefined || realm === null) return undefined;
    const { httpClient, mayConnect, clock } = this.#parts;
    const query = tokenQuery(challenge, `repository:${repository}:pull`);
    for (const [name, value] of query) realm.searchParams.append(name, value);
    const answer = await httpClient.get(realm.href, { mayConnect });
    if (answer.status !== 200) {
      await answer.body.cancel();
      return undefined;
    }
    const found = readToken(new TextDecoder().decode(await limited(answer, TOKEN_BYTES_MAX)));
    if (found === undefined) return undefined;
    const authorization = `Bearer ${found.token}`;
    if (this.#kept.size >= TOKENS_MAX) this.#kept.clear();
    // A token that ends within a request is of little use.
    const lifeMs = Math.max(0, found.lifetimeSeconds - 10) * 1000;
    this.#kept.set(repository, { authorization, untilMs: clock.monotonicMs() + lifeMs });
    return authorization;
  }
}

async function limited({ body, url }: HttpClientResponse, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > bytesMax) throw new PlatformError('unavailable', `${url} sent more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
