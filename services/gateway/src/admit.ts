/** Decides whether a request may continue to the upstream of its route. */
import type { VerifiedToken } from '@tinkerbell/platform-contract';
import { ipNetworkContains, type IpAddress } from '@tinkerbell/wire';
import { preflightFields } from './cors.ts';
import { claimFields, oneValue, type HeaderFields } from './header-fields.ts';
import { bearerToken, tokenRefusal, type Refusal } from './refusal.ts';
import type { LiveRoute } from './route-table.ts';

export interface Visitor {
  readonly method: string;
  readonly fields: HeaderFields;
  readonly client: IpAddress;
  /** The same, as text. */
  readonly address: string;
  readonly nowMs: number;
}

export type Admission =
  | {
      readonly kind: 'admitted';
      readonly claims: Readonly<Record<string, string>>;
      /** Absent: the route needs no token. */
      readonly verified?: VerifiedToken;
    }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** The gateway answers the request itself. */
  | { readonly kind: 'answered'; readonly fields: HeaderFields };

/** The cheap checks come first, so that a flood costs little. `concurrency` is released by the caller, when the request ends. */
export async function admit(route: LiveRoute, visitor: Visitor): Promise<Admission> {
  const refusal = refusalByAddress(route, visitor) ?? refusalBySize(route, visitor);
  if (refusal !== undefined) return { kind: 'refused', refusal };
  const { cors } = route.settings.middlewares;
  const { fields, method } = visitor;
  const preflight =
    cors &&
    preflightFields(cors, method, {
      origin: oneValue(fields['origin']),
      requestMethod: oneValue(fields['access-control-request-method']),
    });
  if (preflight !== undefined) return { kind: 'answered', fields: preflight };
  return admitByToken(route, fields);
}

function refusalByAddress(
  { settings, rate }: LiveRoute,
  { client, address, nowMs }: Visitor,
): Refusal | undefined {
  const { ipAllow } = settings.middlewares;
  if (ipAllow !== undefined && !ipAllow.some((network) => ipNetworkContains(network, client)))
    return { status: 403, reason: 'address-denied', message: `${address} is not allowed here` };
  const seconds = rate?.take(address, nowMs);
  if (seconds === undefined) return undefined;
  return {
    status: 429,
    reason: 'rate-limited',
    message: `too many requests; again in ${seconds} s`,
    fields: { 'retry-after': String(seconds) },
  };
}

function refusalBySize({ settings }: LiveRoute, { fields }: Visitor): Refusal | undefined {
  const max = settings.middlewares.bodyBytesMax ?? Number.POSITIVE_INFINITY;
  return Number(oneValue(fields['content-length']) ?? 0) > max ? tooLarge(max) : undefined;
}

export function tooLarge(max: number): Refusal {
  return { status: 413, reason: 'body-too-large', message: `the body may have at most ${max} bytes` };
}

async function admitByToken({ settings, verifier }: LiveRoute, fields: HeaderFields): Promise<Admission> {
  const { validateJwt } = settings.middlewares;
  if (validateJwt === undefined || verifier === undefined) return { kind: 'admitted', claims: {} };
  const token = bearerToken(oneValue(fields['authorization']));
  if (typeof token !== 'string') return { kind: 'refused', refusal: token ?? tokenRefusal(undefined) };
  const verified = await verifier.verify(token);
  if (!verified.ok) return { kind: 'refused', refusal: tokenRefusal(verified) };
  return { kind: 'admitted', claims: claimFields(verified.claims, validateJwt.claimsToHeaders), verified };
}
