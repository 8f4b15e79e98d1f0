import { registerBmcCase } from './bmc/register-case.ts';
import { httpBoot } from './bmc/http-boot.ts';

registerBmcCase(httpBoot);
