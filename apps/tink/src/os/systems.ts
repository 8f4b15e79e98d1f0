/** What is known of each system of examples/, besides its manifests. */
export interface SystemFacts {
  readonly name: string;
  /** One line for lists. */
  readonly summary: string;
  /** `uefi`: it does not start on a machine with BIOS. */
  readonly firmware: 'any' | 'uefi';
  /** What its installer or its first boot needs. */
  readonly memoryMebibytes: number;
  /** What `spec.userData` holds. Absent: the system needs none. */
  readonly userData?: string;
  /** The document comes from a program of the vendor, and the example's is only a sample. */
  readonly userDataFrom?: string;
}

const GIBIBYTE = 1024;

/** Sorted by name. Memory is what the projects document as the minimum. */
export const systems: readonly SystemFacts[] = [
  system('alpine', 'Alpine Linux with SYSLINUX', { memoryMebibytes: GIBIBYTE }),
  system('coreos', 'Fedora CoreOS, which installs itself', {
    memoryMebibytes: 4 * GIBIBYTE,
    userData: 'Ignition',
  }),
  system('debian', "Debian's cloud image", { memoryMebibytes: GIBIBYTE }),
  system('debian-installer', "Debian's own installer", { memoryMebibytes: GIBIBYTE, userData: 'preseed' }),
  system('edge-ubuntu', 'Ubuntu by the template of the edge stack', {
    firmware: 'uefi',
    memoryMebibytes: 2 * GIBIBYTE,
  }),
  system('erase', 'erases the start of every disk', { memoryMebibytes: GIBIBYTE }),
  system('esxi', 'VMware ESXi, by an iPXE script', {
    firmware: 'uefi',
    memoryMebibytes: 8 * GIBIBYTE,
    userData: 'kickstart',
  }),
  system('fedora', 'Anaconda, the installer of Fedora, RHEL and kin', {
    memoryMebibytes: 3 * GIBIBYTE,
    userData: 'kickstart',
  }),
  system('flatcar', 'Flatcar by its own installer', { memoryMebibytes: 2 * GIBIBYTE }),
  system('harvester', 'Harvester: the first machine creates the cluster, the others join', {
    memoryMebibytes: 32 * GIBIBYTE,
    userData: 'Harvester configuration',
  }),
  system('harvester-join', 'a further node of a Harvester cluster', {
    memoryMebibytes: 32 * GIBIBYTE,
    userData: 'Harvester configuration',
  }),
  system('hello-world', 'prints, and changes nothing', { memoryMebibytes: GIBIBYTE }),
  system('kubernetes-node', 'a node image from a container registry', { memoryMebibytes: 2 * GIBIBYTE }),
  system('raspberry-pi', 'Debian on the card of a Raspberry Pi', { memoryMebibytes: GIBIBYTE }),
  system('rescue', 'repairs an installed system', { memoryMebibytes: GIBIBYTE }),
  system('rhel', 'RHEL from a container image', { memoryMebibytes: 2 * GIBIBYTE }),
  system('talos', "Talos' disk image", {
    memoryMebibytes: 2 * GIBIBYTE,
    userData: 'Talos machine configuration',
    userDataFrom: 'talosctl gen config',
  }),
  system('talos-netboot', 'Talos, which installs itself', {
    memoryMebibytes: 2 * GIBIBYTE,
    userData: 'Talos machine configuration',
    userDataFrom: 'talosctl gen config',
  }),
  system('ubuntu', "Ubuntu's cloud image", { memoryMebibytes: GIBIBYTE }),
  system('ubuntu-autoinstall', "Ubuntu's live server, which installs itself", {
    memoryMebibytes: 8 * GIBIBYTE,
    userData: 'autoinstall',
  }),
  system('ubuntu-qcow2', "Ubuntu's QCOW2 image as published", {
    firmware: 'uefi',
    memoryMebibytes: GIBIBYTE,
  }),
  system('vyos', 'the router VyOS', {
    memoryMebibytes: 2 * GIBIBYTE,
    userData: 'cloud-init with VyOS commands',
  }),
  system('windows', 'a prepared image of Windows', { memoryMebibytes: 2 * GIBIBYTE }),
  system('windows-setup', 'Windows Setup, by an iPXE script', {
    memoryMebibytes: 2 * GIBIBYTE,
    userData: 'answer file',
  }),
];

function system(
  name: string,
  summary: string,
  facts: Omit<SystemFacts, 'name' | 'summary' | 'firmware'> & Partial<Pick<SystemFacts, 'firmware'>>,
): SystemFacts {
  return { name, summary, firmware: 'any', ...facts };
}

export function systemNamed(name: string): SystemFacts | undefined {
  return systems.find((one) => one.name === name);
}
