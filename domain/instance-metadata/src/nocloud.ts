import type { Hardware } from '@tinkerbell/resources';
import { stringifyYaml } from '@tinkerbell/yaml';
import { networkConfigOf } from './network-config.ts';
import { sshKeysOf } from './ssh-keys.ts';

export const NOCLOUD_DOCUMENTS = ['meta-data', 'user-data', 'vendor-data', 'network-config'] as const;
export type NocloudDocument = (typeof NOCLOUD_DOCUMENTS)[number];

/**
 * Returns a document of cloud-init's NoCloud data source, or undefined when this machine has no such document. Only
 * network-config may be absent: cloud-init rejects a seed without user-data.
 */
export function nocloudDocument(name: NocloudDocument, hardware: Hardware): string | undefined {
  switch (name) {
    case 'meta-data':
      return stringifyYaml(metaDataOf(hardware));
    case 'user-data':
      return hardware.spec?.userData ?? '';
    case 'vendor-data':
      return hardware.spec?.vendorData ?? '';
    case 'network-config': {
      const config = networkConfigOf(hardware);
      return config === undefined ? undefined : stringifyYaml(config);
    }
  }
}

/** The name of the Hardware replaces an absent id or hostname, because cloud-init needs both. */
function metaDataOf(hardware: Hardware) {
  const { name } = hardware.metadata;
  const instance = hardware.spec?.metadata?.instance;
  const hostname = hardware.spec?.interfaces?.find(({ dhcp }) => dhcp?.hostname)?.dhcp?.hostname;
  return {
    'instance-id': instance?.id || name,
    'local-hostname': instance?.hostname || hostname || name,
    'public-keys': sshKeysOf(hardware),
  };
}
