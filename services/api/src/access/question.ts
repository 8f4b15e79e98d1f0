/** Describes a request in the terms of roles, and formats the decision in the words of Kubernetes. */
import type { Asked, AskedResource, User } from '@tinkerbell/access';
import { queryOf, type Authorizer, type HttpContext, type HttpRequest } from '@tinkerbell/platform-contract';
import { ApiError } from '../api-error.ts';
import { detailsOf } from '../object-errors.ts';
import { isRendering, type ResourceTarget } from '../request-target.ts';

/** The user of unguarded routes: tests, and servers of one service. */
const EVERYBODY: User = { name: 'system:anonymous', groups: ['system:unauthenticated', 'system:masters'] };

/** Returns the user that the front of the server put into the context. */
export function userOf({ user = EVERYBODY }: HttpContext): User {
  return user;
}

export function askedBy(request: HttpRequest, target: ResourceTarget): AskedResource {
  const { kind, namespace, name, subresource } = target;
  const isReading = isRendering(target);
  const verb = isReading ? 'get' : verbOf(request, target);
  const asked = { verb, group: kind.group, resource: kind.plural };
  // For roles, a namespace is within itself (like in Kubernetes' own API server).
  const within = kind.group === '' && kind.plural === 'namespaces' ? name : namespace;
  return {
    ...asked,
    ...(within === undefined ? {} : { namespace: within }),
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined || isReading ? {} : { subresource }),
  };
}

function verbOf(request: HttpRequest, { name }: ResourceTarget): string {
  switch (request.method) {
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === undefined ? 'deletecollection' : 'delete';
    default: {
      const isWatch = ['true', '1'].includes(queryOf(request.url).get('watch') ?? '');
      if (name === undefined) return isWatch ? 'watch' : 'list';
      return 'get';
    }
  }
}

interface Permission {
  readonly asked: Asked;
  /** The object or collection that the error names. */
  readonly target?: ResourceTarget;
}

/** Throws an ApiError of reason Forbidden. */
export function permit(authorizer: Authorizer, user: User, { asked, target }: Permission): void {
  const decision = authorizer.decide(user, asked);
  if (decision.allowed) return;
  if (target === undefined) throw new ApiError('Forbidden', `forbidden: ${decision.reason}`);
  const { plural, group } = target.kind;
  const name = target.name ?? '';
  const resource = group === '' ? plural : `${plural}.${group}`;
  const what = name === '' ? resource : `${resource} ${JSON.stringify(name)}`;
  throw new ApiError('Forbidden', `${what} is forbidden: ${decision.reason}`, detailsOf(target, name));
}
