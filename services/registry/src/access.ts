/**
 * Who may pull, push and delete. Roles decide by the verbs `get`, `create` and `delete` on the resource `images` of the group
 * `tinkerbell.org`, for all repositories alike. Agents pull with the session of their machine.
 */
import { ANONYMOUS, type User } from '@tinkerbell/access';
import {
  SESSION_HEADER,
  type ApiRoute,
  type Authorizer,
  type HttpContext,
  type HttpRequest,
  type SessionVerifier,
} from '@tinkerbell/platform-contract';
import { errorResponse, RegistryError } from './registry-error.ts';

export type ImageVerb = 'get' | 'create' | 'delete';

export interface AccessParts {
  readonly authorizer: Authorizer;
  readonly agentSessions?: SessionVerifier;
  /** Whoever reaches the server may pull. */
  readonly anonymousPull: boolean;
}

/** The user name with which a client without our header sends a session as the password. */
const SESSION_USER = 'agent-session';
/** Clients send the token as the password of any user. */
export const CHALLENGE = { 'www-authenticate': 'Basic realm="Tinkerbell", charset="UTF-8"' };
/** The user of an unguarded route: a test. */
const EVERYBODY: User = { name: 'system:anonymous', groups: ['system:unauthenticated', 'system:masters'] };
const CREDENTIAL_MAX = 16 * 1024;

/** Throws a RegistryError for a request that may not do this. */
export async function permit(
  { authorizer, agentSessions, anonymousPull }: AccessParts,
  { request, context, verb }: { request: HttpRequest; context: HttpContext; verb: ImageVerb },
): Promise<void> {
  if (verb === 'get' && anonymousPull) return;
  const session = sessionOf(request);
  if (verb === 'get' && session !== undefined) {
    const verified = await agentSessions?.verify(session);
    if (verified?.ok === true) return;
    throw unauthorized('the session is invalid or has ended');
  }
  const { user = EVERYBODY } = context;
  if (user.name === ANONYMOUS.name && !user.groups.includes('system:masters'))
    throw unauthorized(
      `to ${shown[verb]}, log in with any user name and a token of "tink token create" as the password`,
    );
  const decision = authorizer.decide(user, { verb, group: 'tinkerbell.org', resource: 'images' });
  if (!decision.allowed) throw new RegistryError('DENIED', decision.reason);
}

const shown = { get: 'pull', create: 'push', delete: 'delete' } as const;

/** Container clients send `Basic`, with the token as the password. */
export const authorizationOf: NonNullable<ApiRoute['authorizationOf']> = ({ headers }) => {
  const header = headers.get('authorization') ?? undefined;
  const basic = basicOf(header);
  if (basic === undefined) return header;
  // A browser repeats a password by itself, for every page that makes it send a request.
  if (headers.has('origin') || basic.user === SESSION_USER || basic.password === '') return undefined;
  return `Bearer ${basic.password}`;
};

/** Answers a caller that the front of the server rejected. */
export function rejection(message: string, status: 400 | 401 | 403 = 403): Response {
  if (status === 401) return errorResponse(unauthorized(message));
  return errorResponse(new RegistryError('DENIED', message, { status }));
}

function unauthorized(message: string): RegistryError {
  return new RegistryError('UNAUTHORIZED', message, { headers: CHALLENGE });
}

function sessionOf({ headers }: HttpRequest): string | undefined {
  const session = headers.get(SESSION_HEADER);
  if (session !== null) return session;
  const basic = basicOf(headers.get('authorization') ?? undefined);
  return basic?.user === SESSION_USER ? basic.password : undefined;
}

/** RFC 7617. */
function basicOf(header: string | undefined): { user: string; password: string } | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=]+) *$/i.exec(header ?? '')?.[1];
  if (encoded === undefined || encoded.length > CREDENTIAL_MAX) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) return undefined;
  return { user: text.slice(0, colon), password: text.slice(colon + 1) };
}
