/**
 * The files of the built console. The build writes a list of them with their tags and compressed variants, so a request reads one file
 * and compresses nothing.
 */
import { pathElementsOf, WholeResponse, type Files, type HttpRequest } from '@tinkerbell/platform-contract';

/** `files.json` of the build: by path, the tag of the content and the encodings beside the file. */
interface BuiltList {
  readonly files: Readonly<Record<string, { readonly tag: string; readonly encodings: readonly string[] }>>;
}

const LIST = 'files.json';
const PAGE = 'index.html';
/** Larger than the largest chunk. */
const FILE_BYTES_MAX = 4 * 1024 * 1024;
const PREFIX_ELEMENTS = 1;

const mediaTypes: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json',
};

/** Everything comes from this server, and nothing is inline, so text of a machine can never run. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
    "manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** Answers GET and HEAD below `/console/`. A path without a file is a page of the program, unless it looks like a file. */
export async function builtFile(
  { files, directory }: { readonly files: Files; readonly directory: string },
  request: HttpRequest,
): Promise<Response> {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return text(405, 'only GET and HEAD\n', { allow: 'GET, HEAD' });
  const list = await listIn(files, directory);
  if (list === undefined) return missingBuild();
  const asked = (pathElementsOf(request.url) ?? []).slice(PREFIX_ELEMENTS).join('/');
  const isFile = Object.hasOwn(list.files, asked);
  if (!isFile && asked.startsWith('assets/'))
    return text(404, 'this file is of another build; reload the page\n');
  const path = isFile ? asked : PAGE;
  const bytesOf = (name: string) => files.read(directory, name, FILE_BYTES_MAX);
  return (await sent(request, { path, ...list.files[path] }, bytesOf)) ?? missingBuild();
}

interface Sent {
  readonly path: string;
  readonly tag?: string;
  readonly encodings?: readonly string[];
}

/** Undefined if the file is missing: another build has just replaced it. */
async function sent(
  request: HttpRequest,
  { path, tag = '', encodings = [] }: Sent,
  bytesOf: (name: string) => Promise<Uint8Array | undefined>,
): Promise<Response | undefined> {
  const encoding = acceptedEncoding(request, encodings);
  const etag = `"${encoding === undefined ? tag : `${tag}-${encoding}`}"`;
  const headers = { ...SECURITY_HEADERS, ...cachingOf(path), etag };
  if (isCurrent(request, etag)) return new WholeResponse('', { status: 304, headers });
  const bytes = await bytesOf(nameOf(path, encoding));
  if (bytes === undefined) return undefined;
  const contentHeaders = { 'content-type': typeOf(path), ...encodingHeader(encoding) };
  return new WholeResponse(new Uint8Array(bytes), { headers: { ...headers, ...contentHeaders } });
}

/** The names of assets contain a hash of their content. */
function cachingOf(path: string): Readonly<Record<string, string>> {
  const isImmutable = path.startsWith('assets/');
  return {
    vary: 'accept-encoding',
    'cache-control': isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
  };
}

function nameOf(path: string, encoding: string | undefined): string {
  return encoding === undefined ? path : `${path}.${encoding}`;
}

function typeOf(path: string): string {
  return mediaTypes[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
}

function encodingHeader(encoding: string | undefined): Readonly<Record<string, string>> {
  return encoding === undefined ? {} : { 'content-encoding': encoding };
}

async function listIn(files: Files, directory: string): Promise<BuiltList | undefined> {
  const bytes = await files.read(directory, LIST, FILE_BYTES_MAX).catch(() => undefined);
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isList(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Our own build wrote it. */
function isList(value: unknown): value is BuiltList {
  return typeof value === 'object' && value !== null && 'files' in value && typeof value.files === 'object';
}

/** `br` before `gzip`. A client that forbids one with `q=0` is rare, and gets what it asked for otherwise. */
function acceptedEncoding({ headers }: HttpRequest, encodings: readonly string[]): string | undefined {
  const accepted = (headers.get('accept-encoding') ?? '').split(',').map((one) => one.trim());
  return ['br', 'gzip'].find((one) => encodings.includes(one) && accepted.includes(one));
}

function isCurrent({ headers }: HttpRequest, etag: string): boolean {
  return (headers.get('if-none-match') ?? '')
    .split(',')
    .some((one) => one.trim().replace(/^W\//, '') === etag);
}

function missingBuild(): Response {
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Web console</title>
<h1>The web console is not built</h1>
<p>Run <code>npm run setup</code> in the checkout of this server, then reload this page. The server needs no restart.</p></html>
`;
  return new WholeResponse(page, {
    status: 503,
    headers: { ...SECURITY_HEADERS, 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  });
}

function text(status: number, content: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new WholeResponse(content, {
    status,
    headers: { ...SECURITY_HEADERS, 'content-type': 'text/plain; charset=utf-8', ...headers },
  });
}
