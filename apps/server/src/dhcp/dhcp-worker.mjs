/**
 * The entry point of the thread that answers DHCP. It is plain JavaScript and enables the cache of compiled code first, for the reason
 * given in ../main.mjs.
 */
import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./dhcp-thread.ts');
