/** The kinds that the console shows, with their paths and the word for `tink get`. Types come from the packages of the server. */
import type {
  BindingResource,
  BmcJob,
  BmcMachine,
  Event,
  Hardware,
  Resource,
  Template,
  Workflow,
} from '@tinkerbell/resources';

/** `Object` is only for the type checker. */
export interface ConsoleKind<Object extends Resource = Resource> {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** The word that people read. */
  readonly noun: string;
  readonly isOfCluster?: boolean;
  readonly type?: Object;
}

const TINKERBELL = { group: 'tinkerbell.org', version: 'v1alpha1' };
const BMC = { group: 'bmc.tinkerbell.org', version: 'v1alpha1' };
const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' };
const CORE = { group: '', version: 'v1' };

export const hardware: ConsoleKind<Hardware> = { ...TINKERBELL, plural: 'hardware', noun: 'machine' };
export const templates: ConsoleKind<Template> = { ...TINKERBELL, plural: 'templates', noun: 'template' };
export const workflows: ConsoleKind<Workflow> = { ...TINKERBELL, plural: 'workflows', noun: 'workflow' };
export const bmcMachines: ConsoleKind<BmcMachine> = { ...BMC, plural: 'machines', noun: 'BMC' };
export const bmcJobs: ConsoleKind<BmcJob> = { ...BMC, plural: 'jobs', noun: 'BMC job' };
export const events: ConsoleKind<Event> = { ...CORE, plural: 'events', noun: 'event' };
export const serviceAccounts: ConsoleKind = { ...CORE, plural: 'serviceaccounts', noun: 'account' };
export const roleBindings: ConsoleKind<BindingResource> = {
  ...RBAC,
  plural: 'rolebindings',
  noun: 'binding',
};
export const clusterRoleBindings: ConsoleKind<BindingResource> = {
  ...RBAC,
  plural: 'clusterrolebindings',
  noun: 'binding',
  isOfCluster: true,
};
/** Path of all objects of a kind, or of one. An empty namespace means all. */
export function pathOf(
  { group, version, plural, isOfCluster }: ConsoleKind,
  namespace: string,
  name?: string,
): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const place =
    namespace === '' || isOfCluster === true ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${place}/${plural}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
}
