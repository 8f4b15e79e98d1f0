/**
 * Turns Node's cache of compiled code on before anything is loaded: half the start-up time, 30 MB less memory. Plain
 * JavaScript, so that with a filled cache the compiler of TypeScript is never loaded, which is 20 MB more.
 */
import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./serve.ts');
