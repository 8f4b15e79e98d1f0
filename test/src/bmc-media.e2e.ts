import { registerBmcCase } from './bmc/register-case.ts';
import { media } from './bmc/media.ts';

registerBmcCase(media);
