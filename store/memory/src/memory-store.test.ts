import { storeSuite } from '@tinkerbell/store-contract/suite';
import { createMemoryStore } from './index.ts';

storeSuite('memory', (options) => Promise.resolve(createMemoryStore(options)));
