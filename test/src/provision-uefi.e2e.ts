import { provisionTest } from './provision-test.ts';

provisionTest('uefi');
