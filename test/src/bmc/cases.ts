import { amtMedia } from './amt-media.ts';
import type { BmcCase } from './bmc-case.ts';
import { httpBoot } from './http-boot.ts';
import { media } from './media.ts';
import { networkBoot } from './network-boot.ts';

export const bmcCases: readonly BmcCase[] = [networkBoot, media, httpBoot, amtMedia];
