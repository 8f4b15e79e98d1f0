import type { ActionCase } from '../action-case.ts';
import { airGap } from './air-gap.ts';
import { arm64 } from './arm64.ts';
import { biosDisks } from './bios-disks.ts';
import { containers } from './containers.ts';
import { alpine, examples } from './examples.ts';
import { isoBios, isoUefi } from './iso.ts';
import { storage } from './storage.ts';
import { uefi } from './uefi.ts';

export const actionCases: readonly ActionCase[] = [
  biosDisks,
  arm64,
  uefi,
  isoBios,
  isoUefi,
  storage,
  containers,
  airGap,
  ...examples,
];

/** `npm test` runs these: containers, UEFI and kexec, SYSLINUX, and the installation without an outside network. */
export const testedCases: readonly ActionCase[] = [containers, uefi, alpine, airGap];
