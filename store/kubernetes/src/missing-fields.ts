/** Finds the fields of one schema that another one lacks. An API server drops them. */
import {
  bootDeviceExtensions,
  hardwareStatusExtensions,
  ipmiOptionExtensions,
  workflowActionExtensions,
  workflowStatusExtensions,
} from '@tinkerbell/resources';

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly items?: unknown;
  readonly additionalProperties?: unknown;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
}

/** Returns paths such as `status.tasks[].actions[].attempt`. Fields below a missing field are not listed. */
export function missingFields(ours: unknown, theirs: unknown, path = ''): readonly string[] {
  if (!isSchema(ours)) return [];
  if (isSchema(theirs) && theirs['x-kubernetes-preserve-unknown-fields'] === true) return [];
  const other: Schema = isSchema(theirs) ? theirs : {};
  const fields = Object.entries(ours.properties ?? {})
    .filter(([name]) => path !== '' || !['apiVersion', 'kind', 'metadata'].includes(name))
    .flatMap(([name, field]) => {
      const inside = path === '' ? name : `${path}.${name}`;
      const found = other.properties?.[name];
      return found === undefined ? [inside] : missingFields(field, found, inside);
    });
  return [
    ...fields,
    ...missingFields(ours.items, other.items, `${path}[]`),
    ...missingFields(ours.additionalProperties, other.additionalProperties, `${path}{}`),
  ];
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null;
}

const ACTIONS = 'status.tasks[].actions[]';

const extensions: Readonly<Record<string, readonly string[]>> = {
  'workflows.tinkerbell.org': [
    ...workflowActionExtensions.map((field) => `${ACTIONS}.${field}`),
    ...workflowStatusExtensions.map((field) => `status.${field}`),
  ],
  'hardware.tinkerbell.org': hardwareStatusExtensions.map((field) => `status.${field}`),
};

/** Fields that have another place with upstream's CRDs. */
export function extensionPaths(collection: string): readonly string[] {
  return extensions[collection] ?? [];
}

/** Where operations of BMCs are. */
const OPERATIONS: Readonly<Record<string, readonly string[]>> = {
  'workflows.tinkerbell.org': ['preparingActions[]', 'postActions[]'].map(
    (actions) => `spec.bootOptions.custombootConfig.${actions}`,
  ),
  'jobs.bmc.tinkerbell.org': ['spec.tasks[]'],
  'tasks.bmc.tinkerbell.org': ['spec.task'],
};

/** Fields that an author cannot use with upstream's CRDs. An object that has one is refused, with the name of the field. */
export function refusedPaths(collection: string): readonly string[] {
  const ofOperations = (OPERATIONS[collection] ?? []).flatMap((operation) =>
    bootDeviceExtensions.map((field) => `${operation}.bootDevice.${field}`),
  );
  if (!CONNECTED.has(collection)) return ofOperations;
  const options = 'spec.connection.providerOptions.ipmitool';
  return [...ipmiOptionExtensions.map((field) => `${options}.${field}`), ...ofOperations];
}

/** Collections whose objects have a connection to a BMC. */
const CONNECTED: ReadonlySet<string> = new Set(['machines.bmc.tinkerbell.org', 'tasks.bmc.tinkerbell.org']);
