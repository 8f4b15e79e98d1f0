import { Type, type Static } from '../schema.ts';
import { OutOfBandAttributes } from './attributes.ts';
import { HardwareMetadata } from './metadata.ts';
import { NetworkInterface } from './network-interface.ts';
import { INTERFACES_MAX } from '../schema-limits.ts';
import { dateTime, described, document, int64, mapOf, optional, quantity } from '../schema-builders.ts';

const bmcReference = Type.Object(
  {
    apiGroup: optional('API group of the referenced object: `bmc.tinkerbell.org`.', Type.String()),
    kind: described('Kind of the referenced object: `Machine`.', Type.String()),
    name: described('Name of the referenced object.', Type.String()),
  },
  { 'x-kubernetes-map-type': 'atomic' },
);

const reference = Type.Object({
  group: optional('API group of the object. Empty: the core group.', Type.String()),
  name: optional('Name of the object.', Type.String()),
  namespace: optional('Namespace of the object.', Type.String()),
  resource: optional('Plural name of its kind in lower case, for example `configmaps`.', Type.String()),
  version: optional('API version of the object, for example `v1`.', Type.String()),
});

export const HardwareSpec = described(
  'The machine: its network interfaces, its BMC, and the metadata it can read.',
  Type.Object({
    agentID: optional(
      'ID that the agent on this machine presents. Default: the MAC of the interface it boots from.',
      Type.String(),
    ),
    auto: optional(
      'Automatic actions that the server may perform for this machine.',
      Type.Object({
        enrollmentEnabled: optional(
          'Allows WorkflowRuleSets to create a Workflow for this machine.',
          Type.Boolean({ default: false }),
        ),
      }),
    ),
    bmcRef: optional(
      'The Machine (bmc.tinkerbell.org) that controls this machine, in the same namespace.',
      bmcReference,
    ),
    disks: optional(
      'Disks of the machine. Templates read them as `.Hardware.Disks`.',
      Type.Array(
        Type.Object({
          device: optional('Path of the disk, for example `/dev/nvme0n1`.', Type.String()),
        }),
      ),
    ),
    interfaces: optional(
      'Network interfaces, with the DHCP and netboot settings of each.',
      Type.Array(NetworkInterface, { maxItems: INTERFACES_MAX }),
    ),
    metadata: optional(
      'Instance metadata, returned by the metadata service and read by templates.',
      HardwareMetadata,
    ),
    references: optional(
      "Objects that templates read as `.references.<name>`. The server's allow and deny rules apply.",
      mapOf(reference),
    ),
    resources: optional(
      'Capacity by name, for example `memory: 64Gi`. For schedulers. The server ignores it.',
      mapOf(quantity()),
    ),
    tinkVersion: optional('Kept for compatibility with older tools. The server ignores it.', int64()),
    userData: optional('cloud-init user data, served by the metadata service.', document()),
    vendorData: optional('cloud-init vendor data, served by the metadata service.', document()),
  }),
);
export type HardwareSpec = Static<typeof HardwareSpec>;

/** Kubernetes' own shape (metav1.Condition), as far as it is used here. */
export const HardwareCondition = Type.Object({
  lastTransitionTime: optional('When `status` last changed.', dateTime()),
  message: optional('Human-readable details.', Type.String()),
  reason: optional('Cause of the last change, one word in CamelCase.', Type.String()),
  status: described('Whether the condition holds: `True`, `False` or `Unknown`.', Type.String()),
  type: described(
    'Name of the condition. `OwnsItsAddresses` is False if another Hardware has the same MAC, address or agent ID. `BootHealthy` is False if the last boot stands still; its reason is the cause.',
    Type.String(),
  ),
});
export type HardwareCondition = Static<typeof HardwareCondition>;

export const HardwareStatus = described(
  'Observed state of the machine.',
  Type.Object({
    attributes: optional(
      'Parts of the machine, grouped by collection method.',
      Type.Object({
        outOfBand: optional(
          'Parts that the BMC reports, collected by the BMC controller.',
          OutOfBandAttributes,
        ),
      }),
    ),
    conditions: optional(
      'Problems that the server found, one entry for each type.',
      Type.Array(HardwareCondition, { 'x-kubernetes-list-type': 'atomic' }),
    ),
    state: optional('Shown in the State column: `Ready` or `Error`. No controller sets it.', Type.String()),
  }),
);
export type HardwareStatus = Static<typeof HardwareStatus>;
