/** Cross-origin requests of pages (the Fetch standard's CORS protocol). */
import type { HeaderFields } from './header-fields.ts';
import type { CorsSettings } from './route-file.ts';

const REMEMBERED_SECONDS = '600';

/** The header fields added to every response for a page of `origin`. */
export function corsFields(cors: CorsSettings, origin: string | undefined): HeaderFields {
  if (origin === undefined) return {};
  if (!cors.origins.includes(origin) && !cors.origins.includes('*')) return { vary: 'origin' };
  return { 'access-control-allow-origin': origin, vary: 'origin' };
}

/** Returns the response to a preflight request, or undefined when the request is not one. */
export function preflightFields(
  cors: CorsSettings,
  method: string,
  fields: { readonly origin: string | undefined; readonly requestMethod: string | undefined },
): HeaderFields | undefined {
  if (method !== 'OPTIONS' || fields.origin === undefined || fields.requestMethod === undefined)
    return undefined;
  return {
    ...corsFields(cors, fields.origin),
    'access-control-allow-methods': cors.methods.join(', '),
    ...(cors.headers.length === 0 ? {} : { 'access-control-allow-headers': cors.headers.join(', ') }),
    'access-control-max-age': REMEMBERED_SECONDS,
  };
}
