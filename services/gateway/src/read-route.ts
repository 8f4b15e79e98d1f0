/** Reads routes of a route file: their matches and destinations. */
import {
  anyText,
  durationMs,
  Fields,
  mapping,
  oneOf,
  parsed,
  refuse,
  text,
  wholeNumber,
  type Place,
} from './fields.ts';
import { endpoints, texts } from './read-listener.ts';
import { regex } from './read-regex.ts';
import { middlewares, NO_MIDDLEWARES } from './read-middlewares.ts';
import type { HealthCheckSettings, MatchSettings, RouteSettings, UpstreamSettings } from './route-file.ts';

const RETRIES_MAX = 5;
const HEALTH_INTERVAL_MS = 5000;
const HEALTH_TIMEOUT_MS = 3000;
const HEALTHY_AFTER = 1;
/** One lost check does not make an endpoint unhealthy. */
const UNHEALTHY_AFTER = 2;
const CHECKS_MAX = 100;

export function route(place: Place): RouteSettings {
  const fields = new Fields(place, ['name', 'listeners', 'priority', 'match', 'middlewares', 'upstream']);
  return {
    name: fields.required('name', text),
    listeners: fields.optional('listeners', texts) ?? [],
    priority: fields.optional('priority', wholeNumber(-1_000_000, 1_000_000)) ?? 0,
    match: fields.optional('match', match) ?? { headers: new Map() },
    middlewares: fields.optional('middlewares', middlewares) ?? NO_MIDDLEWARES,
    upstream: fields.required('upstream', upstream),
  };
}

function match(place: Place): MatchSettings {
  const fields = new Fields(place, [
    'host',
    'sni',
    'pathPrefix',
    'pathRegex',
    'headers',
    'grpcService',
    'grpcMethod',
  ]);
  const grpcService = fields.optional('grpcService', text);
  return {
    host: fields.optional('host', host),
    sni: fields.optional('sni', host),
    pathPrefix: fields.optional('pathPrefix', path),
    pathRegex: fields.optional('pathRegex', regex),
    headers:
      fields.optional(
        'headers',
        mapping(headerMatch, (name) => name.toLowerCase()),
      ) ?? new Map<string, true>(),
    grpcService,
    grpcMethod: fields.optional('grpcMethod', (one) =>
      grpcService === undefined ? refuse(one, 'needs grpcService beside it') : text(one),
    ),
  };
}

const host = parsed(
  (source) => (/^(\*\.)?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/.test(source) ? source.toLowerCase() : undefined),
  'must be a host name, or one such as *.example.org',
);

const path = parsed(
  (source) => (/^\/[!-~]*$/.test(source) ? source : undefined),
  'must be a path that begins with /',
);

function headerMatch(place: Place): string | true {
  const value = anyText(place);
  return value === '*' ? true : value;
}

function upstream(place: Place): UpstreamSettings {
  const fields = new Fields(place, [
    'protocol',
    'endpoints',
    'caFile',
    'serverName',
    'healthCheck',
    'retries',
  ]);
  return {
    protocol: fields.optional('protocol', oneOf(['http/1.1', 'h2c', 'h2'])) ?? 'http/1.1',
    endpoints: fields.required('endpoints', endpoints),
    caFile: fields.optional('caFile', text),
    serverName: fields.optional('serverName', text),
    healthCheck: fields.optional('healthCheck', healthCheck),
    retries: fields.optional('retries', wholeNumber(0, RETRIES_MAX)) ?? 1,
  };
}

function healthCheck(place: Place): HealthCheckSettings {
  const fields = new Fields(place, ['path', 'interval', 'timeout', 'healthyAfter', 'unhealthyAfter']);
  const times = wholeNumber(1, CHECKS_MAX);
  return {
    path: fields.optional('path', path),
    intervalMs: fields.optional('interval', durationMs) ?? HEALTH_INTERVAL_MS,
    timeoutMs: fields.optional('timeout', durationMs) ?? HEALTH_TIMEOUT_MS,
    healthyAfter: fields.optional('healthyAfter', times) ?? HEALTHY_AFTER,
    unhealthyAfter: fields.optional('unhealthyAfter', times) ?? UNHEALTHY_AFTER,
  };
}
