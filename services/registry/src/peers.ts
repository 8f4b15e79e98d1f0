/** Agents that write the same disk image find each other here: docs/decisions/0020. */
import {
  PEERS_PATH,
  PEERS_REQUEST_BYTES_MAX,
  PeerList,
  readPeersRequest,
  type PeersRequest,
} from '@tinkerbell/images';
import { clientAddressOf } from '@tinkerbell/instance-metadata';
import { OciError } from '@tinkerbell/oci';
import {
  readBodyBytes,
  type Clock,
  type HttpContext,
  type HttpRequest,
  type Random,
} from '@tinkerbell/platform-contract';
import { isLoopback, type IpNetwork } from '@tinkerbell/wire';
import { permit, type AccessParts } from './access.ts';
import { json } from './manifest-endpoints.ts';
import type { RegistryMetrics } from './metrics.ts';
import { RegistryError } from './registry-error.ts';
import { requireMethod } from './upload-endpoints.ts';

const SECRET_BYTES = 32;

export interface PeersParts {
  readonly access: AccessParts;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: RegistryMetrics;
  /** Whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly IpNetwork[];
}

export class Peers {
  readonly #parts: PeersParts;
  readonly #list: PeerList;

  constructor(parts: PeersParts) {
    const { random } = parts;
    this.#parts = parts;
    this.#list = new PeerList({
      secret: () => Buffer.from(random.bytes(SECRET_BYTES)).toString('hex'),
      random: () => random.fraction(),
    });
  }

  /** Keeps the metric right while nobody asks. */
  count(): void {
    this.#parts.metrics.peers.set({}, this.#list.count(this.#parts.clock.monotonicMs()));
  }

  /** Throws a RegistryError for a caller that may not pull, a wrong field, and a full list. */
  async answer(request: HttpRequest, context: HttpContext): Promise<Response | undefined> {
    if (new URL(request.url).pathname !== PEERS_PATH) return undefined;
    requireMethod(request, ['POST']);
    const { access, clock, metrics, trustedProxies } = this.#parts;
    await permit(access, { request, context, verb: 'get' });
    const sender = { peer: context.peer.address, forwardedFor: request.headers.get('x-forwarded-for') };
    const client = clientAddressOf(sender, trustedProxies);
    if (!client.ok) throw wrong(client.error);
    const asked = await requestIn(request);
    const origin = {
      address: client.text,
      isLoopback: isLoopback(client.address),
      nowMs: clock.monotonicMs(),
    };
    const answer = this.#list.ask(asked, origin);
    if (answer === undefined)
      throw new RegistryError(
        'TOOMANYREQUESTS',
        'the list of peers is full: at most 16 agents of one address, 256 of one image, and 64 images. Load the image without peers',
      );
    metrics.peerBytes.add({}, asked.receivedBytes);
    this.count();
    return json(answer);
  }
}

async function requestIn(request: HttpRequest): Promise<PeersRequest> {
  const body = await readBodyBytes(request, { bytes: PEERS_REQUEST_BYTES_MAX });
  if (!body.ok) throw wrong(body.message, body.status);
  try {
    return readPeersRequest(body.value);
  } catch (error) {
    if (error instanceof OciError) throw wrong(error.message);
    throw error;
  }
}

function wrong(message: string, status = 400): RegistryError {
  return new RegistryError('UNSUPPORTED', message, { status });
}
