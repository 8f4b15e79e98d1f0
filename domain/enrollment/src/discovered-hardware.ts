/** Builds the Hardware of a machine that was unknown (upstream tink/server/internal/grpc/discovery.go). */
import { apiVersionOf, hardwareKind, type Hardware } from '@tinkerbell/resources';
import type { AgentAttributes, BlockDevice, NetworkDevice } from './agent-attributes.ts';
import { APPROVAL_ANNOTATION } from './approval.ts';
import { attributesAnnotation, attributesJson } from './attributes-json.ts';
import { macOf } from './network-mac.ts';
import { makeValidName } from './valid-name.ts';

export interface DiscoverySettings {
  readonly namespace: string;
  /** Stored in the Hardware: whether it is enrolled later too. */
  readonly enrollmentEnabled: boolean;
  /** The Hardware waits for an operator before it is enrolled. */
  readonly requireApproval: boolean;
}

export type DiscoveredHardware =
  | { readonly ok: true; readonly hardware: Hardware }
  | { readonly ok: false; readonly message: string };

export const DISCOVERED_LABEL = 'tinkerbell.org/auto-discovered';
/** An agent's name is a MAC or a serial number. A longer text is invalid. */
export const AGENT_ID_MAX = 253;
/** The maximum number of disks, and of network interfaces, that are accepted from one machine. */
const DEVICES_MAX = 256;

/** Has no netboot settings: such a machine is not booted from the network until somebody adds them. */
export function discoveredHardware(
  agentId: string,
  attributes: AgentAttributes | undefined,
  settings: DiscoverySettings,
): DiscoveredHardware {
  if (agentId.length > AGENT_ID_MAX)
    return { ok: false, message: `the agent ID has more than ${AGENT_ID_MAX} characters` };
  const valid = makeValidName(agentId, 'discovery-');
  if (!valid.ok)
    return {
      ok: false,
      message: `failed to make discovery ID ${agentId} a valid Kubernetes name: ${valid.message}`,
    };
  const json = attributes === undefined ? undefined : attributesJson(attributes);
  const annotations = {
    ...attributesAnnotation(json),
    ...(settings.requireApproval ? { [APPROVAL_ANNOTATION]: 'pending' } : {}),
  };
  const disks = disksOf(attributes?.block ?? []);
  const interfaces = interfacesOf(attributes?.network ?? []);
  const hardware: Hardware = {
    apiVersion: apiVersionOf(hardwareKind),
    kind: hardwareKind.kind,
    metadata: {
      name: valid.name,
      namespace: settings.namespace,
      labels: { [DISCOVERED_LABEL]: 'true' },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    spec: {
      agentID: agentId,
      auto: { enrollmentEnabled: settings.enrollmentEnabled },
      ...(disks.length === 0 ? {} : { disks }),
      ...(interfaces.length === 0 ? {} : { interfaces }),
    },
  };
  return { ok: true, hardware };
}

/** Disks with a size. Names that are not a file below /dev are omitted, because templates write to them. */
function disksOf(devices: readonly BlockDevice[]): { device: string }[] {
  return devices
    .filter(({ name = '', size = '' }) => size !== '' && /^[a-zA-Z0-9][\w!.-]{0,62}$/.test(name))
    .slice(0, DEVICES_MAX)
    .map(({ name = '' }) => ({ device: `/dev/${name}` }));
}

function interfacesOf(devices: readonly NetworkDevice[]): { dhcp: { mac: string } }[] {
  const macs = new Set(devices.map(({ mac = '' }) => macOf(mac)));
  return [...macs]
    .filter((mac) => mac !== undefined)
    .slice(0, DEVICES_MAX)
    .map((mac) => ({ dhcp: { mac } }));
}
