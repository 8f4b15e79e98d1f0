/** Finds what a cluster lacks before a server can keep its objects there, each with a fix. */
import { PlatformError } from '@tinkerbell/platform-contract';
import { collectionOf, crdFor, kinds, type Kind } from '@tinkerbell/resources';
import { namespacePhaseIn, rulesIn, schemaIn } from './answer-bodies.ts';
import type { ClusterClient } from './cluster-client.ts';
import type { ClusterFields } from './cluster-fields.ts';
import { collectionPath } from './collection-paths.ts';
import { extensionPaths, missingFields, refusedPaths } from './missing-fields.ts';
import { CLUSTER_ROLE_FILE, messageIn } from './refused.ts';
import { missingRights } from './required-rules.ts';

export interface ClusterProblemsDeps {
  readonly client: ClusterClient;
  readonly fields: ClusterFields;
}

/** The namespace of the server's own objects, such as its keys. */
const NAMESPACE = 'tinkerbell';
const NAMESPACES = '/api/v1/namespaces';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const RULES_REVIEW = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';
const APPLY = 'tinkerbell crds apply --kubeconfig FILE, or kubectl apply -f api/crd';
const SHOWN_MAX = 12;

/**
 * Creates the namespace of the server where it is absent, and records which CRDs are upstream's. Returns an empty list when there
 * are no problems. Rejects with a PlatformError when the cluster does not answer.
 */
export async function clusterProblems(deps: ClusterProblemsDeps): Promise<readonly string[]> {
  const rights = await rightsProblem(deps);
  // Without permissions, the following checks are meaningless.
  if (rights !== undefined) return [rights];
  const definitions = await Promise.all(kinds.map((kind) => definitionState(deps, kind)));
  const absent = kinds.filter((_, at) => definitions[at] === 'absent').map(collectionOf);
  const old = definitions.filter((one) => typeof one === 'object').map(({ problem }) => problem);
  const namespace = await namespaceProblem(deps);
  return [
    ...(absent.length === 0
      ? []
      : [`the cluster does not have ${absent.join(', ')}; apply the CRDs: ${APPLY}`]),
    ...old,
    ...(namespace === undefined ? [] : [namespace]),
  ];
}

/** Returns undefined also where the API server cannot list all rules. */
async function rightsProblem({ client }: ClusterProblemsDeps): Promise<string | undefined> {
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectRulesReview',
    spec: { namespace: NAMESPACE },
  };
  const answer = await client.call({ method: 'POST', path: RULES_REVIEW, body });
  unlessOutage(answer.status, answer.body, client.url);
  if (answer.status === 401)
    return `the Kubernetes API at ${client.url} did not accept the credentials: check --kubeconfig`;
  if (answer.status !== 201) return undefined;
  const rules = rulesIn(answer.body);
  if (rules === undefined) return undefined;
  const missing = missingRights(rules);
  if (missing.length === 0) return undefined;
  const shown = missing.slice(0, SHOWN_MAX).join(', ');
  const more = missing.length > SHOWN_MAX ? ` and ${missing.length - SHOWN_MAX} more` : '';
  return `the cluster does not allow ${shown}${more}; apply the ClusterRole and a binding for this server: kubectl apply -f ${CLUSTER_ROLE_FILE}`;
}

type DefinitionState = 'served' | 'absent' | { readonly problem: string };

async function definitionState(
  { client, fields }: ClusterProblemsDeps,
  kind: Kind,
): Promise<DefinitionState> {
  const collection = collectionOf(kind);
  const listed = await client.call({ method: 'GET', path: `${collectionPath(collection)}?limit=1` });
  unlessOutage(listed.status, listed.body, client.url);
  if (listed.status === 404) return 'absent';
  if (listed.status !== 200)
    return { problem: `list ${collection} is answered with ${listed.status}: ${messageIn(listed.body)}` };
  const { status, body } = await client.call({ method: 'GET', path: `${DEFINITIONS}/${collection}` });
  // This project's own API serves the kinds without their definitions.
  if (status !== 200) return 'served';
  const missing = missingFields(schemaIn(crdFor(kind), kind.version), schemaIn(body, kind.version));
  const placed = extensionPaths(collection);
  const expected = [...placed, ...refusedPaths(collection)];
  const others = missing.filter((path) => !expected.includes(path));
  if (others.length > 0)
    return {
      problem: `the CRD ${collection} of the cluster lacks ${others.slice(0, SHOWN_MAX).join(', ')}: it is older than this server; ${APPLY}`,
    };
  if (missing.some((path) => placed.includes(path))) fields.isUpstreams(collection);
  return 'served';
}

async function namespaceProblem({ client }: ClusterProblemsDeps): Promise<string | undefined> {
  const found = await client.call({ method: 'GET', path: `${NAMESPACES}/${NAMESPACE}` });
  unlessOutage(found.status, found.body, client.url);
  if (found.status === 200)
    return namespacePhaseIn(found.body) === 'Terminating'
      ? `the namespace ${NAMESPACE} is being deleted; wait until it is gone`
      : undefined;
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
  const made = await client.call({ method: 'POST', path: NAMESPACES, body });
  if ([200, 201, 409].includes(made.status)) return undefined;
  return `the namespace ${NAMESPACE}, where the server keeps its keys, does not exist and cannot be created: ${messageIn(made.body)}; kubectl create namespace ${NAMESPACE}`;
}

function unlessOutage(status: number, body: unknown, url: string): void {
  if (status === 429 || status >= 500)
    throw new PlatformError(
      'unavailable',
      `the Kubernetes API at ${url} answers ${status}: ${messageIn(body)}`,
    );
}
