/** Errors for requests that the cluster does not allow. They name a fix. */
import { PlatformError } from '@tinkerbell/platform-contract';

/** The path of the ClusterRole in this repository. */
export const CLUSTER_ROLE_FILE = 'deploy/kubernetes/rbac.yaml';

export interface Refusing {
  readonly url: string;
  readonly verb: string;
  /** `workflows.tinkerbell.org` */
  readonly collection: string;
  readonly status: number;
  /** The answer: a Status of Kubernetes, or a proxy's text. */
  readonly text: string;
}

/** The error for an answer that is neither the expected one nor an outage. */
export function refused({ url, verb, collection, status, text }: Refusing): PlatformError {
  const what = `${verb} ${collection}`;
  if (status === 401)
    return new PlatformError(
      'permission-denied',
      `the Kubernetes API at ${url} did not accept the credentials (401 for ${what}): check the token or certificate of --kubeconfig`,
    );
  if (status === 403)
    return new PlatformError(
      'permission-denied',
      `the Kubernetes API at ${url} does not allow ${what}: ${text}; apply the ClusterRole of ${CLUSTER_ROLE_FILE}`,
    );
  return new PlatformError(
    'unavailable',
    `the Kubernetes API at ${url} answers ${status} for ${what}: ${text}`,
  );
}

/** Returns the message of a Status of Kubernetes, or an empty text when there is none. */
export function messageIn(body: unknown): string {
  const { message } = (body ?? {}) as { readonly message?: unknown };
  return typeof message === 'string' ? message : '';
}
