/**
 * Reads the middlewares of a route. They run in one order, whatever their order in the file: see
 * answer-request.ts.
 */
import {
  anyText,
  boolean,
  durationMs,
  Fields,
  list,
  mapping,
  oneOf,
  refuse,
  text,
  wholeNumber,
  type Place,
} from './fields.ts';
import { network, texts } from './read-listener.ts';

import { regex } from './read-regex.ts';
import type { CorsSettings, HeaderSettings, JwtSettings, MiddlewareSettings } from './route-file.ts';

export const NO_MIDDLEWARES: MiddlewareSettings = { compress: false };

/**
 * The algorithms of RFC 7518 with a public key. With a secret key, anyone who can verify a token can also
 * sign one.
 */
const ALGORITHMS = [
  'ES256',
  'ES384',
  'ES512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'EdDSA',
] as const;
const COUNT_MAX = 1_000_000;

export function middlewares(place: Place): MiddlewareSettings {
  const fields = new Fields(place, [
    'ipAllow',
    'rateLimit',
    'maxConnections',
    'cors',
    'validateJwt',
    'rewrite',
    'headers',
    'compress',
    'bodyBytesMax',
    'answerTimeout',
  ]);
  return {
    ipAllow: fields.optional('ipAllow', list(network)),
    rateLimit: fields.optional('rateLimit', rateLimit),
    maxConnections: fields.optional('maxConnections', wholeNumber(1, COUNT_MAX)),
    cors: fields.optional('cors', cors),
    validateJwt: fields.optional('validateJwt', validateJwt),
    rewrite: fields.optional('rewrite', rewrite),
    headers: fields.optional('headers', headers),
    compress: fields.optional('compress', boolean) ?? false,
    bodyBytesMax: fields.optional('bodyBytesMax', wholeNumber(0, Number.MAX_SAFE_INTEGER)),
    answerTimeoutMs: fields.optional('answerTimeout', durationMs),
  };
}

function rateLimit(place: Place): NonNullable<MiddlewareSettings['rateLimit']> {
  const fields = new Fields(place, ['average', 'burst']);
  const average = fields.required('average', wholeNumber(1, COUNT_MAX));
  return { average, burst: fields.optional('burst', wholeNumber(1, COUNT_MAX)) ?? average };
}

function cors(place: Place): CorsSettings {
  const fields = new Fields(place, ['origins', 'methods', 'headers']);
  return {
    origins: fields.required('origins', texts),
    methods: fields.optional('methods', texts) ?? ['GET', 'HEAD', 'POST'],
    headers: fields.optional('headers', texts) ?? [],
  };
}

function validateJwt(place: Place): JwtSettings {
  const fields = new Fields(place, [
    'issuer',
    'jwksUrl',
    'jwksFile',
    'audiences',
    'algorithms',
    'requiredClaims',
    'claimsToHeaders',
  ]);
  const [jwksUrl, jwksFile] = [fields.optional('jwksUrl', text), fields.optional('jwksFile', text)];
  if ((jwksUrl === undefined) === (jwksFile === undefined))
    return refuse(place, 'needs either jwksUrl or jwksFile');
  const claims = fields.optional('requiredClaims', mapping(anyText)) ?? new Map<string, string>();
  return {
    issuer: fields.required('issuer', text),
    jwksUrl,
    jwksFile,
    audiences: fields.required('audiences', texts),
    algorithms: fields.optional('algorithms', list(oneOf(ALGORITHMS))) ?? [
      'RS256',
      'ES256',
      'PS256',
      'PS512',
    ],
    requiredClaims: Object.fromEntries(
      [...claims].map(([name, value]) => [name, value === '*' ? true : value]),
    ),
    claimsToHeaders: fields.optional('claimsToHeaders', mapping(headerName)) ?? new Map<string, string>(),
  };
}

/**
 * Claims must not set headers that identify the sender, the length of a body, or the destination of a
 * connection.
 */
const RESERVED =
  /^(host|content-length|content-type|te|trailer|transfer-encoding|connection|upgrade|expect)$/;

function headerName(place: Place): string {
  const name = text(place).toLowerCase();
  return /^[a-z0-9-]+$/.test(name) && !RESERVED.test(name) ? name : refuse(place, 'must be a header name');
}

function rewrite(place: Place): NonNullable<MiddlewareSettings['rewrite']> {
  const fields = new Fields(place, ['regex', 'replacement']);
  return { regex: fields.required('regex', regex), replacement: fields.required('replacement', text) };
}

function headers(place: Place): HeaderSettings {
  const fields = new Fields(place, ['request', 'response']);
  const read = mapping(headerValue, (name) => name.toLowerCase());
  return {
    request: fields.optional('request', read) ?? new Map<string, string>(),
    response: fields.optional('response', read) ?? new Map<string, string>(),
  };
}

function headerValue(place: Place): string {
  const value = anyText(place);
  return /^[\t -~]*$/.test(value) ? value : refuse(place, 'must be printable');
}
