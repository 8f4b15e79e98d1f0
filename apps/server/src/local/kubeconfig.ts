/** The kubeconfig of this machine: `kubectl` and `tink` reach the server with it as its administrator. */

export interface KubeconfigInput {
  /** Port of the API over TLS on loopback. kubectl sends tokens over TLS only. */
  readonly https: number;
  /** Port of the same pages without TLS: by it `tink` finds that a server it was named is this one. */
  readonly http: number;
  readonly token: string;
  /** PEM. */
  readonly certificateAuthority: string;
}

/** The extension of a cluster that names the plain address of the same server. */
export const LOCAL_EXTENSION = 'tinkerbell.org/local';

/** YAML, by the schema of `kubectl config` (client-go's clientcmd/api/v1). */
export function kubeconfigText({ https, http, token, certificateAuthority }: KubeconfigInput): string {
  const authority = Buffer.from(certificateAuthority).toString('base64');
  return `# Written at every start of the server. Whoever can read it administers the server.
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
