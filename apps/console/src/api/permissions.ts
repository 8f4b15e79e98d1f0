/** What the signed-in user may do, so that buttons show it before the server refuses. The server decides. */
import { useQuery } from '@tanstack/react-query';
import { permits, type Rule } from '@tinkerbell/access';
import type { ConsoleKind } from './kinds.ts';
import { sendForJson } from './request.ts';

interface RulesReview {
  readonly status: {
    readonly resourceRules: readonly Rule[];
    readonly nonResourceRules: readonly Rule[];
  };
}

/** Undefined: allowed. A text: why not, and the way out. */
export type Refusal = string | undefined;

export type May = (verb: string, kind: ConsoleKind, subresource?: string) => Refusal;

/** Permissions in a namespace. Until they are known, everything counts as allowed. */
export function useMay(namespace: string): May {
  const { data } = useQuery({
    queryKey: ['rules', namespace],
    queryFn: () =>
      sendForJson<RulesReview>('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
        method: 'POST',
        body: { spec: { namespace: namespace === '' ? 'default' : namespace } },
      }),
    staleTime: 60_000,
  });
  return (verb, kind, subresource) => {
    if (data === undefined) return undefined;
    const asked = {
      verb,
      group: kind.group,
      resource: kind.plural,
      ...(subresource === undefined ? {} : { subresource }),
      ...(namespace === '' ? {} : { namespace }),
    };
    if (data.status.resourceRules.some((rule) => permits(rule, asked))) return undefined;
    const what = subresource === undefined ? kind.plural : `${kind.plural}/${subresource}`;
    return `Your role does not allow “${verb}” on ${what}. Ask an administrator for the role “edit”.`;
  };
}
