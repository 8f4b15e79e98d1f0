import { registerBmcCase } from './bmc/register-case.ts';
import { amtMedia } from './bmc/amt-media.ts';

registerBmcCase(amtMedia);
