/**
 * The systems that read one document of their own, each below a path of its own: `/talos/config`. Each document is the unchanged
 * user-data of the machine, because a kernel argument needs a URL that is the same for every machine.
 */
export const CONFIG_KINDS = [
  /** Ignition: `ignition.config.url=`, `flatcar.config.url=`. */
  'ignition',
  /** Talos' machine configuration: `talos.config=`. */
  'talos',
  /** Debian's installer: `url=`. */
  'preseed',
  /** Anaconda: `inst.ks=`. ESXi: `ks=`. */
  'kickstart',
  /** Harvester's installer: `harvester.install.config_url=`. */
  'harvester',
  /** VyOS' whole configuration, `config.boot`. */
  'vyos',
  /** Windows Setup's answer file, which wimboot adds to Windows PE. */
  'unattend',
] as const;

export type ConfigKind = (typeof CONFIG_KINDS)[number];

const TEXT = 'text/plain; charset=utf-8';
const YAML = 'application/yaml';

export const contentTypeOf: Readonly<Record<ConfigKind, string>> = {
  ignition: 'application/vnd.coreos.ignition+json',
  talos: YAML,
  preseed: TEXT,
  kickstart: TEXT,
  harvester: YAML,
  vyos: TEXT,
  unattend: 'application/xml',
};
