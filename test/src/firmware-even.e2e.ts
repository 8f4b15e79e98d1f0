import { testedCases } from './firmware/cases.ts';
import { registerBoots } from './firmware/register-tests.ts';

// There are two files, so that two machines boot at a time.
registerBoots(testedCases.filter((_, index) => index % 2 === 0));
