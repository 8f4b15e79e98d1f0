/** Maps an image name to a built-in action. Upstream pulls a container image instead. */
import { archive2diskAction } from '@tinkerbell/action-archive2disk';
import { cexecAction } from '@tinkerbell/action-cexec';
import { image2diskAction } from '@tinkerbell/action-image2disk';
import { kexecAction } from '@tinkerbell/action-kexec';
import { slurpAction } from '@tinkerbell/action-slurp';
import { efibootsetAction } from '@tinkerbell/action-efibootset';
import { cidataioAction } from '@tinkerbell/action-cidataio';
import { ubootenvAction } from '@tinkerbell/action-ubootenv';
import { inventoryAction } from '@tinkerbell/action-inventory';
import { burninAction } from '@tinkerbell/action-burnin';
import { verifyAction } from '@tinkerbell/action-verify';
import { eraseAction } from '@tinkerbell/action-erase';
import { syslinuxAction } from '@tinkerbell/action-syslinux';
import { grub2diskAction } from '@tinkerbell/action-grub2disk';
import type { Action } from '@tinkerbell/action-kit';
import { oci2diskAction } from '@tinkerbell/action-oci2disk';
import { qemuimg2diskAction } from '@tinkerbell/action-qemuimg2disk';
import { rebootAction } from '@tinkerbell/action-reboot';
import { rootioAction } from '@tinkerbell/action-rootio';
import { writefileAction } from '@tinkerbell/action-writefile';

import { commandAction } from './command-action.ts';

const ACTIONS: readonly Action[] = [
  image2diskAction,
  writefileAction,
  cexecAction,
  kexecAction,
  rebootAction,
  oci2diskAction,
  qemuimg2diskAction,
  rootioAction,
  archive2diskAction,
  grub2diskAction,
  syslinuxAction,
  eraseAction,
  verifyAction,
  burninAction,
  inventoryAction,
  ubootenvAction,
  cidataioAction,
  efibootsetAction,
  slurpAction,
  commandAction('alpine'),
  commandAction('busybox'),
];

/** Handled by the agent itself; see `follow-up.ts`. */
export const WAIT_DAEMON = 'waitdaemon';

/** `quay.io/tinkerbell/actions/image2disk:v1@sha256:...` is `image2disk`. Registry, tag and digest are ignored. */
export function actionName(image: string): string {
  const withoutDigest = image.split('@')[0] ?? '';
  const last = withoutDigest.split('/').at(-1) ?? '';
  return last.split(':')[0] ?? '';
}

export function builtInAction(image: string): Action | undefined {
  const name = actionName(image);
  return ACTIONS.find((action) => action.name === name);
}

export const BUILT_IN_NAMES: readonly string[] = [...ACTIONS.map((action) => action.name), WAIT_DAEMON];

export function unknownImage(image: string): string {
  return `the image ${image} is not built in; built-in images are ${BUILT_IN_NAMES.join(', ')}`;
}
