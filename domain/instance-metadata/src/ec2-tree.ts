import type { Hardware, Instance } from '@tinkerbell/resources';
import { parseIpv4 } from '@tinkerbell/wire';
import { sshKeysOf } from './ssh-keys.ts';

/** The node at a path of the EC2 tree, without the version at its start. */
export type Ec2Node =
  /** The same for every machine. */
  | { readonly kind: 'listing'; readonly text: string }
  | {
      readonly kind: 'value';
      readonly topic: Ec2Topic;
      /** Undefined when this machine has nothing at the path. */
      textFor(hardware: Hardware): string | undefined;
    };

const EC2_TOPICS = ['meta-data', 'user-data', 'vendor-data'] as const;
export type Ec2Topic = (typeof EC2_TOPICS)[number];

/**
 * Every version has the same tree. 2009-04-04 is upstream's. cloud-init tries 2021-03-23, 2018-09-24 and
 * 2016-09-02 before it. Ignition requests 2019-10-01, Afterburn 2021-01-03, and people use latest.
 */
export const EC2_VERSIONS = [
  '2009-04-04',
  '2016-09-02',
  '2018-09-24',
  '2019-10-01',
  '2021-01-03',
  '2021-03-23',
  'latest',
] as const;

type Leaf = (hardware: Hardware) => string | undefined;

interface Directory {
  readonly [name: string]: Leaf | Directory;
}

const empty: Leaf = () => '';

/** Upstream's leaves and their sources. In addition, `placement`, `public-keys` and `vendor-data` have content. */
const tree: Readonly<Record<Ec2Topic, Leaf | Directory>> = {
  'meta-data': {
    facility: (hardware) => hardware.spec?.metadata?.facility?.facility_code,
    hostname: (hardware) => instanceOf(hardware).hostname,
    'instance-id': (hardware) => instanceOf(hardware).id,
    iqn: empty,
    'local-hostname': (hardware) => instanceOf(hardware).hostname,
    // Upstream has no value where the instance lists no private address. The address that DHCP assigns is
    // also the machine's private address.
    'local-ipv4': (hardware) =>
      addressOf(hardware, (ip) => ip.family === 4 && ip.public !== true) ?? dhcpAddressOf(hardware),
    'operating-system': {
      distro: (hardware) => instanceOf(hardware).operating_system?.distro,
      image_tag: (hardware) => instanceOf(hardware).operating_system?.image_tag,
      license_activation: { state: empty },
      slug: (hardware) => instanceOf(hardware).operating_system?.slug,
      version: (hardware) => instanceOf(hardware).operating_system?.version,
    },
    placement: { 'availability-zone': (hardware) => hardware.spec?.metadata?.facility?.facility_code },
    plan: (hardware) => hardware.spec?.metadata?.facility?.plan_slug,
    'public-ipv4': (hardware) => addressOf(hardware, (ip) => ip.family === 4 && ip.public === true),
    'public-ipv6': (hardware) => addressOf(hardware, (ip) => ip.family === 6),
    // The paths below it differ between machines: see publicKeyNode.
    'public-keys': {},
    tags: (hardware) => instanceOf(hardware).tags?.join('\n'),
  },
  'user-data': (hardware) => hardware.spec?.userData,
  'vendor-data': (hardware) => hardware.spec?.vendorData,
};

/** Every node by its path, such as `meta-data/hostname`. The root's path is empty. */
const nodes: ReadonlyMap<string, Ec2Node> = new Map([
  ['', { kind: 'listing', text: listingOf(tree) }],
  ...EC2_TOPICS.flatMap((topic) => nodesAt([topic], tree[topic], topic)),
]);

const PUBLIC_KEYS = 'meta-data/public-keys';

/**
 * Returns the node at a path below the version, with or without a trailing slash. Returns undefined when no
 * machine has it. Listings are sorted and joined by newlines, and directories end in `/`. Values that a
 * Hardware does not have are empty.
 */
export function ec2NodeAt(path: string): Ec2Node | undefined {
  const named = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  if (named === PUBLIC_KEYS || named.startsWith(`${PUBLIC_KEYS}/`))
    return publicKeyNode(named.split('/').slice(2));
  return nodes.get(named);
}

function nodesAt(
  path: readonly string[],
  entry: Leaf | Directory,
  topic: Ec2Topic,
): [path: string, node: Ec2Node][] {
  if (typeof entry !== 'object') {
    const textFor = (hardware: Hardware) => entry(hardware) ?? '';
    return [[path.join('/'), { kind: 'value', topic, textFor }]];
  }
  const inner = Object.entries(entry).flatMap(([name, one]) => nodesAt([...path, name], one, topic));
  return [[path.join('/'), { kind: 'listing', text: listingOf(entry) }], ...inner];
}

function listingOf(directory: Directory): string {
  const names = Object.entries(directory).map(([name, node]) =>
    typeof node === 'object' ? `${name}/` : name,
  );
  return names.sort().join('\n');
}

/**
 * `0=key-0` lists a key, and `0/openssh-key` returns it. This is the only directory whose listing differs
 * from the names of its entries.
 */
function publicKeyNode(path: readonly string[]): Ec2Node | undefined {
  const [number, name, ...rest] = path;
  if (rest.length > 0 || (name !== undefined && name !== 'openssh-key')) return undefined;
  if (number !== undefined && !/^(?:0|[1-9]\d{0,8})$/.test(number)) return undefined;
  return {
    kind: 'value',
    topic: 'meta-data',
    textFor(hardware) {
      const keys = sshKeysOf(hardware);
      if (number === undefined) return keys.map((_, index) => `${index}=key-${index}`).join('\n');
      const key = keys[Number(number)];
      return key === undefined || name !== undefined ? key : 'openssh-key';
    },
  };
}

type InstanceAddress = NonNullable<Instance['ips']>[number];

function addressOf(hardware: Hardware, isWanted: (ip: InstanceAddress) => boolean): string | undefined {
  return instanceOf(hardware).ips?.find(isWanted)?.address;
}

function dhcpAddressOf({ spec }: Hardware): string | undefined {
  return spec?.interfaces?.map(({ dhcp }) => dhcp?.ip?.address).find((address) => parseIpv4(address ?? ''));
}

function instanceOf(hardware: Hardware): Instance {
  return hardware.spec?.metadata?.instance ?? {};
}
