import type { ActionCase } from '../action-case.ts';
import { airGap } from './air-gap.ts';
import { arm64 } from './arm64.ts';
import { biosDisks } from './bios-disks.ts';
import { containers } from './containers.ts';
import { diskImages, vyos } from './disk-images.ts';
import { alpine, examples } from './examples.ts';
import { installers, talosNetboot } from './installers.ts';
import { isoBios, isoUefi } from './iso.ts';
import { behindIscRelay, behindOwnRelay } from './provisioning-network.ts';
import { storage } from './storage.ts';
import { uefi } from './uefi.ts';

/** `npm run e2e -- actions`. */
export const actionCases: readonly ActionCase[] = [
  biosDisks,
  arm64,
  uefi,
  isoBios,
  isoUefi,
  storage,
  containers,
  airGap,
  behindOwnRelay,
  behindIscRelay,
];

/** `npm run e2e -- examples`. */
export const exampleCases: readonly ActionCase[] = [...examples, ...diskImages, ...installers];

/** `npm test` runs these: containers, UEFI and kexec, SYSLINUX, and the installation without an outside network. */
export const testedCases: readonly ActionCase[] = [containers, uefi, alpine, airGap];

/** `npm test` runs these, too. The example `debian` is what test/src/provision-*.e2e.ts install. */
export const testedExamples: readonly ActionCase[] = [talosNetboot, vyos];
