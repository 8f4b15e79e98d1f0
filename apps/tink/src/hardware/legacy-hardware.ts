/**
 * Converts the hardware file of the first Tink (`tink hardware push < hardware.json`, until v0.6) to a Hardware:
 *
 * | first Tink                                 | Hardware                                                  |
 * |--------------------------------------------|-----------------------------------------------------------|
 * | `id`                                       | `spec.metadata.instance.id`, if metadata has none         |
 * | `metadata` (object or JSON text)           | `spec.metadata`; unknown fields are left out              |
 * | `network.interfaces[].dhcp`                | `spec.interfaces[].dhcp`, the MAC in lower case           |
 * | `…netboot.allow_pxe`, `allow_workflow`     | `allowPXE`, `allowWorkflow`                               |
 * | `…netboot.osie.base_url`                   | `osie.baseURL`                                            |
 * | hostname of the first interface, else MAC  | `metadata.name`                                           |
 *
 * Agents of the first Tink identified themselves by `id` or MAC. Ours use the MAC of the first interface, so `spec.agentID` stays unset.
 */
import {
  apiVersionOf,
  hardwareKind,
  isRecord,
  validateResource,
  formatPath,
  type Problem,
  type Resource,
} from '@tinkerbell/resources';
import { objectNameFor } from '../template/bare-template.ts';

export interface ConvertedHardware {
  readonly resource: Resource;
  /** Fields of the file that a Hardware does not have. */
  readonly leftOut: readonly string[];
}

export type Conversion =
  | ({ readonly ok: true } & ConvertedHardware)
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** True for an object in the old format: no kind, but network interfaces. */
export function isLegacyHardware(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && value['kind'] === undefined && isRecord(value['network']);
}

export function hardwareFromLegacy(value: Record<string, unknown>, namespace: string): Conversion {
  const { id, metadata, network, ...others } = value;
  const interfaces = listIn(network, 'interfaces').map(convertInterface);
  const spec = { metadata: convertMetadata(metadata, id), interfaces };
  const validated = validateResource({
    apiVersion: apiVersionOf(hardwareKind),
    kind: 'Hardware',
    metadata: { name: nameFrom(interfaces[0]), namespace },
    spec: withoutUndefined(spec),
  });
  if (!validated.ok) return validated;
  const leftOut = [...Object.keys(others), ...validated.unknownFields.map(({ path }) => formatPath(path))];
  return { ok: true, resource: validated.resource, leftOut };
}

interface ConvertedInterface {
  readonly dhcp: Record<string, unknown>;
  readonly netboot?: Record<string, unknown>;
}

function convertInterface(value: unknown): ConvertedInterface {
  const dhcp = recordIn(value, 'dhcp') ?? {};
  const netboot = recordIn(value, 'netboot');
  const mac = typeof dhcp['mac'] === 'string' ? { mac: dhcp['mac'].toLowerCase() } : {};
  return {
    dhcp: { ...dhcp, ...mac },
    ...(netboot === undefined ? {} : { netboot: convertNetboot(netboot) }),
  };
}

function convertNetboot({
  allow_pxe,
  allow_workflow,
  osie,
  ...others
}: Record<string, unknown>): Record<string, unknown> {
  const { base_url, ...files } = isRecord(osie) ? osie : {};
  return withoutUndefined({
    ...others,
    allowPXE: allow_pxe,
    allowWorkflow: allow_workflow,
    osie: isRecord(osie) ? withoutUndefined({ ...files, baseURL: base_url }) : undefined,
  });
}

function convertMetadata(metadata: unknown, id: unknown): Record<string, unknown> | undefined {
  const record = isRecord(metadata) ? metadata : parsedRecord(metadata);
  if (record === undefined && typeof id !== 'string') return undefined;
  const instance = isRecord(record?.['instance']) ? record['instance'] : {};
  return { ...record, instance: { ...(typeof id === 'string' ? { id } : {}), ...instance } };
}

/** Metadata was sent as JSON text within JSON. */
function parsedRecord(text: unknown): Record<string, unknown> | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function nameFrom(first: ConvertedInterface | undefined): string | undefined {
  const { hostname, mac } = first?.dhcp ?? {};
  const name = objectNameFor(typeof hostname === 'string' ? hostname : '');
  if (name !== '') return name;
  return typeof mac === 'string' ? `machine-${objectNameFor(mac)}` : undefined;
}

function recordIn(value: unknown, field: string): Record<string, unknown> | undefined {
  const found = isRecord(value) ? value[field] : undefined;
  return isRecord(found) ? found : undefined;
}

function listIn(value: unknown, field: string): readonly unknown[] {
  const found = isRecord(value) ? value[field] : undefined;
  return Array.isArray(found) ? found : [];
}

function withoutUndefined(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
