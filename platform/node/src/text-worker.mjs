/**
 * The entry point of the thread that reads texts. It is plain JavaScript and enables the cache of compiled
 * code first, for the reason given in apps/server/src/main.mjs.
 */
import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./text-thread.ts');
