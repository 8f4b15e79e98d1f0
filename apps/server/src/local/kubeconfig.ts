/** The kubeconfig of this machine. With it, `kubectl` and `tink` are administrators of the server. */

export interface KubeconfigInput {
  /** Port of the API over TLS on loopback. kubectl sends tokens only over TLS. */
  readonly https: number;
  /** Port of the API without TLS. `tink` uses it to detect that a configured server is this one. */
  readonly http: number;
  readonly token: string;
  /** Certificate authority, PEM. */
  readonly certificateAuthority: string;
}

/** The extension of a cluster with the plain address of the same server. */
export const LOCAL_EXTENSION = 'tinkerbell.org/local';

/** Returns YAML in the format of `kubectl config` (client-go's clientcmd/api/v1). */
export function kubeconfigText({ https, http, token, certificateAuthority }: KubeconfigInput): string {
  const authority = Buffer.from(certificateAuthority).toString('base64');
  return `# Written at every start of the server. Anyone who can read this file can administer the server.
apiVersion: v1
kind: Config
current-context: tinkerbell
contexts:
  - name: tinkerbell
    context: {cluster: tinkerbell, user: system:admin}
clusters:
  - name: tinkerbell
    cluster:
      server: https://127.0.0.1:${https}
      certificate-authority-data: ${authority}
      extensions:
        - name: ${LOCAL_EXTENSION}
          extension: {http: "http://127.0.0.1:${http}"}
users:
  - name: system:admin
    user: {token: ${token}}
`;
}
