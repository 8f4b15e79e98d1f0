/**
 * Where the thread that reads texts begins. Plain JavaScript with the cache of compiled code turned on first, for the reason
 * given in apps/server/src/main.mjs.
 */
import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./text-thread.ts');
