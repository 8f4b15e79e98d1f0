import {
  isoPatchFor,
  isoSourceFor,
  paddedPatch,
  reservationFor,
  type Reservation,
} from '@tinkerbell/netboot';
import {
  pathElementsOf,
  PlatformError,
  StreamResponse,
  type HttpContext,
  type HttpRequest,
  type HttpRoute,
} from '@tinkerbell/platform-contract';
import type { Hardware } from '@tinkerbell/resources';
import { parseMac, type Mac } from '@tinkerbell/wire';
import type { BootConfig, BootDeps, IsoConfig } from '../config.ts';
import { methodNotAllowed, plain } from '../http/answers.ts';
import { patchedChunks, type IsoImage } from './image.ts';
import { fileAnswerFor, type ByteRange, type FileAnswer } from '../http/file-answer.ts';
import type { IsoTimeline } from './timeline.ts';
import { mayBootIso } from '../machine-state.ts';
import { textDigest } from './text-digest.ts';

export interface IsoRouteInput {
  readonly deps: Pick<BootDeps, 'view' | 'files'>;
  readonly config: Pick<BootConfig, 'hook'> & { readonly iso: IsoConfig };
  readonly timeline: IsoTimeline;
  readonly ownImage: (architecture: string) => Promise<IsoImage | undefined>;
  readonly remoteImage: (url: string) => Promise<IsoImage>;
}

interface Refusal {
  readonly mac?: Mac;
  readonly status: 400 | 404 | 500 | 502;
  readonly reason: string;
  readonly message: string;
}

interface PatchedImage {
  readonly mac: Mac;
  readonly image: IsoImage;
  readonly patchText: string;
  readonly leftOut: readonly string[];
}

/**
 * Serves `/iso/<any>/<mac>/<name>.iso`: the in-memory OS as a CD for virtual media, with the machine's kernel arguments in it.
 * Statuses are upstream's (smee/internal/iso). Unlike upstream, a machine that may not netboot gets no image unless a workflow
 * boots by it.
 */
export function createIsoRoute(input: IsoRouteInput): HttpRoute {
  return {
    name: 'iso',
    prefix: '/iso/',
    access: 'machine',
    async handle(request: HttpRequest, context: HttpContext): Promise<Response> {
      if (request.method !== 'GET' && request.method !== 'HEAD') return methodNotAllowed();
      const found = await findImage(input, request.url);
      if ('status' in found) {
        input.timeline.refused({ ...found, peer: context.peer.address });
        return plain(found.status, found.message);
      }
      const answer = await answerTo(request, found, input.config.iso.magic);
      if (answer.range === undefined || request.method === 'HEAD')
        return new StreamResponse(null, { status: answer.status, headers: answer.headers });
      const chunks = sentChunks(input, found, {
        range: answer.range,
        isRange: answer.status === 206,
        context,
      });
      return new StreamResponse(ReadableStream.from(chunks), {
        status: answer.status,
        headers: answer.headers,
      });
    },
  };
}

async function findImage(input: IsoRouteInput, url: string): Promise<PatchedImage | Refusal> {
  const elements = pathElementsOf(url);
  if (elements?.at(-1)?.endsWith('.iso') !== true)
    return { status: 404, reason: 'not-an-iso', message: 'only <mac>/<name>.iso is here' };
  const mac = parseMac(elements.at(-2) ?? '');
  if (mac === undefined)
    return { status: 400, reason: 'no-mac', message: `no MAC address: ${JSON.stringify(elements.at(-2))}` };
  const hardware = input.deps.view.hardwareByMac(mac);
  const reservation = reservationFor(hardware, mac);
  if (!reservation.ok) {
    const { reason, message } = reservation;
    return { mac, status: reason === 'no-hardware' ? 404 : 500, reason, message };
  }
  return patchedImage(input, reservation.value, hardware[0]);
}

/** The image that the machine may have, its source, and its kernel arguments. */
async function patchedImage(
  { deps, config, ownImage, remoteImage }: IsoRouteInput,
  reservation: Reservation,
  hardware: Hardware | undefined,
): Promise<PatchedImage | Refusal> {
  const { mac, path } = reservation;
  if (!mayBootIso(deps.view, reservation)) {
    const message = `${path}.netboot.allowPXE is not true, and no unfinished workflow boots by virtual media`;
    return { mac, status: 404, reason: 'netboot-not-allowed', message };
  }
  const { staticIpam, magic, upstreamUrl } = config.iso;
  const patch = isoPatchFor({ reservation, settings: config.hook, staticIpam, charactersMax: magic.length });
  if (!patch.ok) return { mac, status: 500, reason: 'value-invalid', message: patch.message };
  const source = isoSourceFor(hardware, mac, upstreamUrl);
  if (source.kind === 'invalid')
    return { mac, status: 400, reason: 'source-invalid', message: source.message };
  try {
    const image =
      source.kind === 'own' ? await ownImage(reservation.architecture) : await remoteImage(source.url);
    if (image !== undefined) return { mac, image, patchText: patch.text, leftOut: patch.leftOut };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return { mac, status: 502, reason: 'source-unavailable', message: error.message };
  }
  const message = `no image: there is no hook-${reservation.architecture}.iso ("npm run hook -- --iso" creates it), no --iso-upstream-url and no isoboot.sourceISO in the Hardware`;
  return { mac, status: 400, reason: 'no-source', message };
}

async function answerTo(
  { headers }: HttpRequest,
  { image, patchText }: PatchedImage,
  magic: string,
): Promise<FileAnswer> {
  const { validator, sizeBytes } = image;
  const etag = `"${await textDigest(JSON.stringify([validator, sizeBytes, magic, patchText]))}"`;
  return fileAnswerFor(headers, { etag, sizeBytes, contentType: 'application/x-iso9660-image' });
}

interface SentRange {
  readonly range: ByteRange;
  readonly isRange: boolean;
  readonly context: HttpContext;
}

/** Nothing runs before the first chunk is requested. The timeline records however it ends. */
async function* sentChunks(
  { deps, config, timeline }: IsoRouteInput,
  { mac, image, patchText, leftOut }: PatchedImage,
  { range, isRange, context }: SentRange,
): AsyncGenerator<Uint8Array, void> {
  const { peer, signal } = context;
  const patch = paddedPatch(patchText, config.iso.magic.length);
  const transfer = timeline.begin({ mac, peer: peer.address, image, isRange, leftOut });
  let left = range.end - range.start + 1;
  try {
    for await (const chunk of patchedChunks(deps.files, image, { ...range, patch, signal })) {
      // The consumer of a chunk may detach its memory.
      const { length } = chunk;
      yield chunk;
      left -= length;
      transfer.sent(length);
    }
  } finally {
    transfer.ended(left === 0);
  }
}
