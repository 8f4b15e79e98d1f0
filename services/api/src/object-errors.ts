/** Errors about the object of a request, in the words of Kubernetes. */
import { collectionOf, type Kind } from '@tinkerbell/resources';
import { ApiError, type StatusDetails } from './api-error.ts';

type Named = { readonly kind: Pick<Kind, 'group' | 'plural'> };

export function notFound(target: Named, name: string): ApiError {
  return new ApiError('NotFound', `${nameOf(target, name)} not found`, detailsOf(target, name));
}

export function alreadyExists(target: Named, name: string): ApiError {
  return new ApiError('AlreadyExists', `${nameOf(target, name)} already exists`, detailsOf(target, name));
}

const CHANGED = 'the object has been modified; please apply your changes to the latest version and try again';

export function conflict(target: Named, name: string, why: string = CHANGED): ApiError {
  const message = `Operation cannot be fulfilled on ${nameOf(target, name)}: ${why}`;
  return new ApiError('Conflict', message, detailsOf(target, name));
}

export function forbidden(target: Named, name: string, why: string): ApiError {
  return new ApiError('Forbidden', `${nameOf(target, name)} is forbidden: ${why}`, detailsOf(target, name));
}

export function detailsOf({ kind: { group, plural } }: Named, name: string): StatusDetails {
  return { name, ...(group === '' ? {} : { group }), kind: plural };
}

function nameOf({ kind }: Named, name: string): string {
  return `${collectionOf(kind)} ${JSON.stringify(name)}`;
}
