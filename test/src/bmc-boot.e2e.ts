import { registerBmcCase } from './bmc/register-case.ts';
import { networkBoot } from './bmc/network-boot.ts';

registerBmcCase(networkBoot);
