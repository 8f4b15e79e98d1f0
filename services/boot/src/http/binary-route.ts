import {
  pathElementsOf,
  StreamResponse,
  type HttpContext,
  type HttpRequest,
  type HttpRoute,
} from '@tinkerbell/platform-contract';
import { parseMac } from '@tinkerbell/wire';
import { binaryNameOf, type BootFiles } from '../boot-files/index.ts';
import type { BootDeps } from '../config.ts';
import type { BootMetrics } from '../metrics.ts';
import { fileAnswerFor } from './file-answer.ts';
import { measuredBody, methodNotAllowed, notFound } from './answers.ts';
import { macAt } from '../machine-state.ts';

interface BinaryRouteInput {
  readonly deps: Pick<BootDeps, 'journal' | 'view' | 'clock'>;
  readonly files: BootFiles;
  readonly metrics: BootMetrics;
}

/** Serves `/ipxe/binary/<any>/<name>`: iPXE binaries and their `autoexec.ipxe`. Directories are ignored. */
export function createBinaryRoute({ deps, files, metrics }: BinaryRouteInput): HttpRoute {
  const { journal, view, clock } = deps;
  return {
    name: 'ipxe-binary',
    prefix: '/ipxe/binary/',
    access: 'machine',
    async handle(request: HttpRequest, { peer }: HttpContext): Promise<Response> {
      if (request.method !== 'GET' && request.method !== 'HEAD') return methodNotAllowed();
      const elements = pathElementsOf(request.url) ?? [];
      const name = binaryNameOf(elements.join('/')) ?? elements.at(-1) ?? '';
      const binary = await files.binary(name);
      if (binary === undefined) {
        metrics.ipxeBinaries.add({ outcome: 'not-found' });
        return notFound('no such iPXE binary');
      }
      const { sizeBytes } = binary;
      const file = { sizeBytes, contentType: 'application/octet-stream' };
      const { status, headers, range } = fileAnswerFor(request.headers, file);
      if (request.method === 'HEAD' || range === undefined)
        return new StreamResponse(null, { status, headers });

      const startedMs = clock.monotonicMs();
      const machine = elements.map(parseMac).find(Boolean) ?? macAt(view, peer.address);
      const wanted = range.end + 1 - range.start;
      const measured = (bytes: number): void => {
        const isWhole = bytes === wanted;
        const milliseconds = Math.round(clock.monotonicMs() - startedMs);
        metrics.ipxeBinaries.add({ outcome: isWhole ? 'sent' : 'broken-off' });
        metrics.ipxeBinaryBytes.add({}, bytes);
        journal.append({
          source: 'http',
          event: isWhole ? 'binary-sent' : 'transfer-failed',
          ...(machine === undefined ? {} : { machine }),
          message: `${name} by HTTP, ${bytes} of ${wanted} bytes in ${milliseconds} ms`,
          details: { file: name, bytes, milliseconds },
        });
      };
      return new StreamResponse(measuredBody(binary, measured, range), { status, headers });
    },
  };
}
