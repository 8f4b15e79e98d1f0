import { useQuery } from '@tanstack/react-query';
import type { Resource } from '@tinkerbell/resources';
import { sendForJson } from '../api/request.ts';
import { chooseNamespace, useNamespace } from './namespace.ts';

/** A user who cannot list namespaces types the name. */
export function NamespaceChoice() {
  const namespace = useNamespace();
  const { data, isError } = useQuery({
    queryKey: ['namespaces'],
    queryFn: () => sendForJson<{ readonly items: readonly Resource[] }>('/api/v1/namespaces'),
    staleTime: 60_000,
    retry: false,
  });
  const names = (data?.items ?? []).map(({ metadata }) => metadata.name);
  const all = namespace === '' || names.includes(namespace) ? names : [...names, namespace];
  return (
    <label className="namespace-choice">
      <span>Namespace</span>
      {isError ? (
        <input
          defaultValue={namespace}
          placeholder="all"
          onBlur={(event) => chooseNamespace(event.currentTarget.value.trim())}
        />
      ) : (
        <select value={namespace} onChange={(event) => chooseNamespace(event.currentTarget.value)}>
          <option value="">all</option>
          {all.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
    </label>
  );
}
