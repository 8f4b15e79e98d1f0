/** Authorizes every verb on objects. */
import type { AskedResource, User } from '@tinkerbell/access';
import type { Authorizer, HttpRequest } from '@tinkerbell/platform-contract';
import { APPLY_PATCH } from '../apply-object.ts';
import { mediaTypeOf } from '../request-body.ts';
import type { ResourceTarget } from '../request-target.ts';
import type { VerbDeps } from '../resource-handlers.ts';
import { keyOf } from '../stored-object.ts';
import { guardedAdmission, refuseBuiltIn } from './escalation.ts';
import { askedBy, permit } from './question.ts';

export interface Asking {
  readonly request: HttpRequest;
  readonly target: ResourceTarget;
  readonly user: User;
}

/** Returns `deps` for this user, with a check of written roles and bindings. Throws an ApiError, or rejects with one. */
export function guarded<Deps extends VerbDeps & { readonly authorizer: Authorizer }>(
  deps: Deps,
  { request, target, user }: Asking,
): Deps | Promise<Deps> {
  const { store, authorizer, admission } = deps;
  const asked = askedBy(request, target);
  permit(authorizer, user, { asked, target });
  if (request.method === 'GET') return deps;
  if (target.subresource === undefined) refuseBuiltIn(target.kind, target.name);
  const own = { ...deps, admission: guardedAdmission(admission, { store, authorizer, user }) };
  const isApply = asked.verb === 'patch' && mediaTypeOf(request) === APPLY_PATCH;
  return isApply ? permitted(own, { user, target, mayMake: { ...asked, verb: 'create' } }) : own;
}

interface Applying {
  readonly user: User;
  readonly target: ResourceTarget;
  readonly mayMake: AskedResource;
}

/** Applying a missing object creates it. */
async function permitted<Deps extends VerbDeps & { readonly authorizer: Authorizer }>(
  deps: Deps,
  { user, target, mayMake }: Applying,
): Promise<Deps> {
  const { authorizer, store } = deps;
  const isAllowed = authorizer.decide(user, mayMake).allowed;
  if (!isAllowed && (await store.get(keyOf(target))) === undefined)
    permit(authorizer, user, { asked: mayMake, target });
  return deps;
}
