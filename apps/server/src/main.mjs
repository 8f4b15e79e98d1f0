/**
 * Enables Node's compile cache before any other module loads. It halves the start time and saves 30 MB of memory. This file is
 * plain JavaScript, so with a filled cache Node never loads the TypeScript compiler, which saves another 20 MB.
 */
import { enableCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';

// Limits uncollected garbage to 40 % of the heap. Without this flag, it is two thirds and more under load. The flag must be set
// before the heap has grown.
setFlagsFromString('--heap-growing-percent=60');
enableCompileCache();
await import('./serve.ts');
