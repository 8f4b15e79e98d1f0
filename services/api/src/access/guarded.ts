/** Authorizes every verb on objects. */
import type { User } from '@tinkerbell/access';
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

/** Returns `deps` for this user, with a check of written roles and bindings. Rejects with an ApiError. */
export async function guarded<Deps extends VerbDeps & { readonly authorizer: Authorizer }>(
  deps: Deps,
  { request, target, user }: Asking,
): Promise<Deps> {
  const { store, authorizer, admission } = deps;
  const asked = askedBy(request, target);
  permit(authorizer, user, { asked, target });
  if (request.method === 'GET') return deps;
  if (target.subresource === undefined) refuseBuiltIn(target.kind, target.name);
  const mayMake = { ...asked, verb: 'create' };
  // Applying a missing object creates it.
  const isApply = asked.verb === 'patch' && mediaTypeOf(request) === APPLY_PATCH;
  if (isApply && !authorizer.decide(user, mayMake).allowed && (await store.get(keyOf(target))) === undefined)
    permit(authorizer, user, { asked: mayMake, target });
  return { ...deps, admission: guardedAdmission(admission, { store, authorizer, user }) };
}
