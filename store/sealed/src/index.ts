export { createSealedStore, type SealedStoreOptions } from './sealed-store.ts';
export { createAesCipher, parseKeys, type Cipher } from './cipher.ts';
