/** Maps a kind to its message on the wire. */
import { createRegistry, type DescMessage } from '@bufbuild/protobuf';
import { file_apiextensions_v1_apiextensions as extensions } from './gen/apiextensions/v1/apiextensions_pb.ts';
import { file_authentication_v1_authentication as authentication } from './gen/authentication/v1/authentication_pb.ts';
import { file_authorization_v1_authorization as authorization } from './gen/authorization/v1/authorization_pb.ts';
import { file_coordination_v1_coordination as coordination } from './gen/coordination/v1/coordination_pb.ts';
import { file_core_v1_core as core } from './gen/core/v1/core_pb.ts';
import { file_meta_v1_meta as meta } from './gen/meta/v1/meta_pb.ts';
import { file_rbac_v1_rbac as rbac } from './gen/rbac/v1/rbac_pb.ts';

const registry = createRegistry(extensions, authentication, authorization, coordination, core, meta, rbac);

export const META_PACKAGE = 'k8s.io.apimachinery.pkg.apis.meta.v1';
export const EXTENSIONS_PACKAGE = 'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1';

const packages: Readonly<Record<string, string>> = {
  v1: 'k8s.io.api.core.v1',
  'coordination.k8s.io/v1': 'k8s.io.api.coordination.v1',
  'rbac.authorization.k8s.io/v1': 'k8s.io.api.rbac.v1',
  'authentication.k8s.io/v1': 'k8s.io.api.authentication.v1',
  'authorization.k8s.io/v1': 'k8s.io.api.authorization.v1',
  'apiextensions.k8s.io/v1': EXTENSIONS_PACKAGE,
};

/** Kinds of every group and version, as Kubernetes registers them. */
const metaKinds: readonly string[] = ['DeleteOptions', 'Status'];
const partialKinds: readonly string[] = ['PartialObjectMetadata', 'PartialObjectMetadataList'];

const known = new Map<string, DescMessage | undefined>();
/** Clients request few kinds. Names from an attacker are not kept. */
const KNOWN_MAX = 500;

/** Returns undefined when there is no protobuf here: custom resources, and kinds that are not served. */
export function messageFor(apiVersion: string, kind: string): DescMessage | undefined {
  const name = `${apiVersion} ${kind}`;
  if (known.has(name)) return known.get(name);
  const found = lookedUp(apiVersion, kind);
  if (found !== undefined && known.size < KNOWN_MAX) known.set(name, found);
  return found;
}

function lookedUp(apiVersion: string, kind: string): DescMessage | undefined {
  if (metaKinds.includes(kind)) return registry.getMessage(`${META_PACKAGE}.${kind}`);
  if (apiVersion === 'meta.k8s.io/v1' && partialKinds.includes(kind))
    return registry.getMessage(`${META_PACKAGE}.${kind}`);
  if (!Object.hasOwn(packages, apiVersion)) return undefined;
  const message = registry.getMessage(`${packages[apiVersion]}.${kind}`);
  // The parts of objects do not have metadata.
  return message?.field['metadata'] === undefined ? undefined : message;
}

/** Returns true for a kind, or a list of it, that can also be written as protobuf. */
export function hasProtobuf(apiVersion: string, kind: string): boolean {
  return messageFor(apiVersion, kind) !== undefined;
}
