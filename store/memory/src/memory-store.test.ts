import { storeModelSuite } from '@tinkerbell/store-contract/model-suite';
import { storeSuite } from '@tinkerbell/store-contract/suite';
import { createMemoryStore } from './index.ts';

storeSuite('memory', (options) => Promise.resolve(createMemoryStore(options)));
storeModelSuite('memory', (options) => Promise.resolve(createMemoryStore(options)), 200);
