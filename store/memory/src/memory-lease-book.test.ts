import { leaseSuite } from '@tinkerbell/store-contract/lease-suite';
import { createMemoryLeaseBook } from './index.ts';

leaseSuite('memory', (options) => Promise.resolve(createMemoryLeaseBook(options)));
