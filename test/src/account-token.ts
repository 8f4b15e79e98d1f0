/** Accounts of tests at a server. */

interface Asked {
  readonly url: string;
  /** As the administrator. */
  readonly request: (url: string, init?: RequestInit) => Promise<Response>;
}

/** Creates a ServiceAccount in the namespace `default`, which has a role everywhere, and returns a token of it. As `tink token create NAME --role ROLE`. */
export async function accountToken(
  { url, request }: Asked,
  { name, role }: { readonly name: string; readonly role: string },
): Promise<string> {
  const post = async (
    path: string,
    body: object,
  ): Promise<{ readonly status?: { readonly token?: string } }> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await request(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { readonly status?: { readonly token?: string } };
  };
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  await post(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } });
  await post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', name, namespace: 'default' }],
  });
  const made = await post(`${accounts}/${name}/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 3600 },
  });
  return made.status?.token ?? '';
}
