export { createMemoryStore, type MemoryStoreOptions } from './memory-store.ts';
export { createMemoryLeaseBook } from './memory-lease-book.ts';
