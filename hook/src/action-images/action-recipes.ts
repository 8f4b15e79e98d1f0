/** The images of the actions: their names are upstream's, and their contents are what each action needs. */
import type { ArchitectureName } from '../architecture.ts';

export interface ActionRecipe {
  readonly name: string;
  readonly title: string;
  /** True for an action that starts programs of busybox, such as `mount` and `xz`. */
  readonly startsPrograms: boolean;
  /** Names in `segment-recipes.ts`. */
  readonly segments: readonly string[];
  readonly architectures: readonly ArchitectureName[];
}

const BOTH: readonly ArchitectureName[] = ['x86_64', 'aarch64'];

/** `alpine` and `busybox` are images of others, and only the agent itself can be `waitdaemon`. */
export const NOT_IMAGES: readonly string[] = ['alpine', 'busybox', 'waitdaemon'];

export const ACTION_RECIPES: readonly ActionRecipe[] = [
  action('archive2disk', 'Unpacks an archive on a file system.'),
  { ...action('burnin', 'Tests memory, processors and disks.'), startsPrograms: false },
  action('cexec', 'Runs a command inside a file system.'),
  { ...action('cidataio', 'Writes a partition with data for cloud-init.'), startsPrograms: false },
  { ...action('efibootset', 'Sets the boot order of UEFI firmware.'), startsPrograms: false },
  action('erase', 'Erases a whole disk.'),
  action('grub2disk', 'Installs GRUB on a disk.'),
  action('image2disk', 'Writes a disk image to a disk.'),
  { ...action('inventory', 'Reports the hardware of a machine.'), startsPrograms: false },
  action('kexec', 'Starts a kernel from a file system.'),
  { ...action('luks', 'Encrypts a disk or a partition.'), segments: ['luks'] },
  { ...action('lvm', 'Creates a volume group and its logical volumes.'), segments: ['lvm'] },
  { ...action('mdraid', 'Creates a software RAID array.'), segments: ['mdraid'] },
  action('oci2disk', 'Writes a disk image from a registry to a disk.'),
  { ...action('qemuimg2disk', 'Writes a virtual disk to a disk.'), segments: ['images'] },
  action('reboot', 'Restarts a machine.'),
  { ...action('rootio', 'Partitions, formats, mounts and wipes disks.'), segments: ['filesystems'] },
  { ...action('slurp', 'Reads a disk and sends it to a server.'), startsPrograms: false },
  {
    ...action('syslinux', 'Installs syslinux on a disk.'),
    segments: ['boot'],
    architectures: ['x86_64'],
  },
  action('ubootenv', 'Changes the environment of U-Boot.'),
  action('verify', 'Compares a disk with an image or a checksum.'),
  action('writefile', 'Writes a file to a file system.'),
];

/** The recipes of these names, which are separated by commas, each once. @throws Error that lists the known names. */
export function recipesNamed(names: string): readonly ActionRecipe[] {
  const found = names.split(',').map((name) => {
    const recipe = ACTION_RECIPES.find((one) => one.name === name.trim());
    if (recipe !== undefined) return recipe;
    const known = ACTION_RECIPES.map((one) => one.name).join(', ');
    throw new Error(`there is no image ${JSON.stringify(name)}; there are ${known}`);
  });
  return [...new Set(found)];
}

function action(name: string, title: string): ActionRecipe {
  return { name, title, startsPrograms: true, segments: [], architectures: BOTH };
}
