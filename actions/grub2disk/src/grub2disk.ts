import {
  ActionError,
  assertBlockDevice,
  defineAction,
  mustRun,
  readEnvironment,
  runProgram,
  withMounted,
  withSystemDirectories,
  type ActionContext,
} from '@tinkerbell/action-kit';

const ENVIRONMENT = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' } as const;
/** What chroot(1) returns for a program that does not exist. */
const NOT_FOUND = 127;

/** Installs GRUB. Variables as in upstream's grub2disk: GRUB_INSTALL_PATH, GRUB_DISK, FS_TYPE. */
export const grub2diskAction = defineAction('grub2disk', async (environment, context) => {
  const read = readEnvironment('grub2disk', environment);
  const disk = read.absolutePath('GRUB_INSTALL_PATH', 'the disk to boot from, for example /dev/sda');
  const device = read.absolutePath('GRUB_DISK', 'the partition with the root file system');
  const fileSystem = read.required('FS_TYPE', 'its file system, for example ext4');
  read.finish();
  await assertBlockDevice(disk);
  await withMounted({ device, fileSystem }, context, (root) =>
    withSystemDirectories(root, context, () => installGrub({ root, disk, device }, context)),
  );
  return { message: `installed GRUB of ${device} on ${disk}` };
});

interface Installation {
  readonly root: string;
  readonly disk: string;
  readonly device: string;
}

async function installGrub({ root, disk, device }: Installation, context: ActionContext): Promise<void> {
  const options = { signal: context.signal, log: context.log, environment: ENVIRONMENT };
  const version = await runProgram('chroot', [root, 'grub-install', '--version'], options);
  if (version.code === NOT_FOUND)
    throw new ActionError(
      `the system on ${device} has no grub-install: install the package of GRUB in the image`,
    );
  context.progress({ message: `grub-install ${disk}` });
  await mustRun('chroot', [root, 'grub-install', disk], options);
  context.progress({ message: 'grub-mkconfig' });
  await mustRun('chroot', [root, 'grub-mkconfig', '-o', '/boot/grub/grub.cfg'], options);
}
