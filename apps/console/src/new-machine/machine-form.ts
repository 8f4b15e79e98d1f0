/** What a person enters about a new machine, and the Hardware that follows from it. Pure. */
import type { Hardware } from '@tinkerbell/resources';

export interface MachineForm {
  readonly name: string;
  readonly namespace: string;
  readonly mac: string;
  /** `192.168.56.43/24` */
  readonly address: string;
  readonly gateway: string;
  readonly disk: string;
}

export const emptyForm: MachineForm = {
  name: '',
  namespace: 'default',
  mac: '',
  address: '',
  gateway: '',
  disk: '',
};

export type FormProblems = Partial<Readonly<Record<keyof MachineForm, string>>>;

const MAC = /^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/;
const NAME = /^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/;

/** Accepts `52-54-00-AB-CD-EF` and `5254.00ab.cdef`, and writes what the server expects. */
export function normalMac(text: string): string {
  const digits = text.trim().toLowerCase().replaceAll(/[-:.]/g, '');
  return /^[0-9a-f]{12}$/.test(digits) ? (digits.match(/../g) ?? []).join(':') : text.trim();
}

/** What is wrong before the server is asked. */
export function problemsOf(form: MachineForm): FormProblems {
  const { name, mac, address, gateway } = form;
  return {
    ...(NAME.test(name) ? {} : { name: 'lower-case letters, digits, - and . such as rack7-node1' }),
    ...(MAC.test(normalMac(mac)) ? {} : { mac: 'six bytes, such as 52:54:00:ab:cd:ef' }),
    ...(address === '' || addressOf(address) !== undefined
      ? {}
      : { address: 'an address with its prefix, such as 192.168.56.43/24' }),
    ...(gateway === '' || isIpv4(gateway) ? {} : { gateway: 'an IPv4 address, such as 192.168.56.1' }),
  };
}

/** The field of the form that a field of the Hardware came from. */
export function formFieldOf(field: string): keyof MachineForm | undefined {
  if (field.startsWith('metadata.name')) return 'name';
  if (field.endsWith('.mac')) return 'mac';
  if (/\.ip\.(?:address|netmask)$/.test(field)) return 'address';
  if (field.endsWith('.gateway')) return 'gateway';
  return field.startsWith('spec.disks') ? 'disk' : undefined;
}

export function hardwareOf({ name, namespace, mac, address, gateway, disk }: MachineForm): Hardware {
  const ip = addressOf(address);
  const dhcp = {
    mac: normalMac(mac),
    hostname: name,
    ...(ip === undefined ? {} : { ip: { ...ip, ...(gateway === '' ? {} : { gateway }) } }),
  };
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name, namespace },
    spec: {
      ...(disk === '' ? {} : { disks: [{ device: disk }] }),
      interfaces: [{ dhcp, netboot: { allowPXE: true, allowWorkflow: true } }],
    },
  };
}

/** Returns `address/prefix`, if there is a netmask and the address has no prefix. An invalid netmask stays, and is reported. */
export function addressWith(address: string, netmask: string | undefined): string {
  if (netmask === undefined || address.includes('/')) return address;
  const prefixes = Array.from({ length: 32 }, (_, index) => index + 1);
  return `${address}/${prefixes.find((prefix) => netmaskOf(prefix) === netmask) ?? netmask}`;
}

function addressOf(text: string): { readonly address: string; readonly netmask: string } | undefined {
  const [address = '', length = ''] = text.trim().split('/');
  const prefix = /^\d{1,2}$/.test(length) ? Number(length) : 0;
  return isIpv4(address) && prefix >= 1 && prefix <= 32 ? { address, netmask: netmaskOf(prefix) } : undefined;
}

function isIpv4(text: string): boolean {
  const parts = text.split('.');
  return (
    parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
  );
}

function netmaskOf(prefix: number): string {
  return [0, 8, 16, 24].map((from) => 256 - 2 ** (8 - Math.min(8, Math.max(0, prefix - from)))).join('.');
}
