/** A request path as Kubernetes API paths are built: group, version, namespace, resource, name, subresource. */
import { kinds, type Kind } from '@tinkerbell/resources';

export interface ResourceTarget {
  readonly kind: Kind;
  /** All namespaces when absent. */
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** Undefined when the path names no resource of ours. */
export function resourceTarget(path: string): ResourceTarget | undefined {
  const parts = decoded(path);
  if (parts === undefined || parts[0] !== 'apis') return undefined;
  const [, group, version, ...rest] = parts;
  const namespace = rest[0] === 'namespaces' && rest.length >= 3 ? rest[1] : undefined;
  const [plural, name, subresource, ...more] = namespace === undefined ? rest : rest.slice(2);
  const kind = kinds.find((one) => one.group === group && one.version === version && one.plural === plural);
  if (kind === undefined || more.length > 0 || (namespace === undefined && name !== undefined))
    return undefined;
  return { kind, ...given({ namespace, name, subresource }) };
}

/** Only the parts that the path has. */
function given(
  parts: Readonly<Record<'namespace' | 'name' | 'subresource', string | undefined>>,
): Partial<Record<keyof typeof parts, string>> {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
}

function decoded(path: string): string[] | undefined {
  try {
    return path
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
