import { clientAddressOf } from '@tinkerbell/instance-metadata';
import {
  pathElementsOf,
  StreamResponse,
  type HttpContext,
  type HttpRequest,
  type HttpRoute,
} from '@tinkerbell/platform-contract';
import { parseMac } from '@tinkerbell/wire';
import type { BootFile, BootFiles } from '../boot-files/index.ts';
import type { BootConfig, BootDeps } from '../config.ts';
import type { BootMetrics } from '../metrics.ts';
import { measuredBody, methodNotAllowed, notFound, plain } from './answers.ts';
import { macAt } from '../machine-state.ts';

interface PxeRouteInput {
  readonly deps: Pick<BootDeps, 'journal' | 'view' | 'clock'>;
  readonly config: Pick<BootConfig, 'trustedProxies'>;
  readonly files: BootFiles;
  readonly metrics: BootMetrics;
  /** For example `/tftp/`. */
  readonly prefix: string;
}

/** Serves the files of TFTP by HTTP. lpxelinux and U-Boot load from here many times as fast. */
export function createPxeRoute({ deps, config, files, metrics, prefix }: PxeRouteInput): HttpRoute {
  const { journal, view, clock } = deps;
  return {
    name: 'pxe-files',
    prefix,
    access: 'machine',
    async handle(request: HttpRequest, { peer }: HttpContext): Promise<Response> {
      if (request.method !== 'GET' && request.method !== 'HEAD') return methodNotAllowed();
      const elements = pathElementsOf(request.url);
      if (elements === undefined) return notFound('no such file');
      const fileName = elements.slice(prefix.split('/').length - 2).join('/');
      const clientAddress = clientOf(request, peer.address);
      const found = await files.find({ fileName, clientAddress });
      const machine = elements.map(parseMac).find(Boolean) ?? macAt(view, clientAddress);
      const write = (event: string, message: string) => {
        metrics.pxeFiles.add({ outcome: event });
        const details = { file: fileName };
        if (machine !== undefined) journal.append({ source: 'http', event, machine, message, details });
      };
      if (found.kind === 'not-found') {
        write('file-not-found', `HTTP has no file ${fileName}; asked: ${found.asked.join(', ')}`);
        return notFound('no such file');
      }
      if (found.kind === 'refused') {
        write('file-refused', `HTTP cannot generate ${fileName}: ${found.message}`);
        return plain(500, found.message);
      }
      const { file } = found;
      if (request.method === 'HEAD') return new StreamResponse(null, { headers: headersOf(file) });
      const startedMs = clock.monotonicMs();
      const body = measuredBody(file, (bytes) => {
        const milliseconds = Math.round(clock.monotonicMs() - startedMs);
        const isWhole = bytes === file.sizeBytes;
        const amount = `${bytes} of ${file.sizeBytes} bytes in ${milliseconds} ms`;
        write(isWhole ? 'file-sent' : 'transfer-failed', `${fileName} by HTTP, ${amount}`);
      });
      return new StreamResponse(body, { headers: headersOf(file) });
    },
  };

  /** Behind a trusted proxy, the address that the proxy names. Otherwise the socket's address, whatever a header says. */
  function clientOf(request: HttpRequest, peer: string): string {
    const sender = { peer, forwardedFor: request.headers.get('x-forwarded-for') };
    const client = clientAddressOf(sender, config.trustedProxies);
    return client.ok ? client.text : peer;
  }
}

function headersOf(file: BootFile): Record<string, string> {
  return { 'content-type': 'application/octet-stream', 'content-length': `${file.sizeBytes}` };
}
