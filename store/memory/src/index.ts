export { createMemoryStore, type MemoryStoreOptions } from './memory-store.ts';
