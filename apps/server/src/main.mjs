/**
 * Starts the server from its bundle or, after an edit, from its sources. Enables Node's compile cache before any other module
 * loads. This file is plain JavaScript, so that Node does not load the TypeScript compiler, which takes 20 MB.
 */
import { enableCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { bundledProgram } from '../../../bin/bundled-program.mjs';

// Limits uncollected garbage to about half of the heap. Without this flag, it is two thirds and more under load. The flag must be set
// before the heap has grown.
setFlagsFromString('--heap-growing-percent=110');
// While many calls wait, they outlive V8's small collections. Without this flag, V8 then makes the objects of all later calls in the old
// generation, which only full collections clean.
setFlagsFromString('--no-allocation-site-pretenuring');
enableCompileCache();
const bundle = bundledProgram('server');
await (bundle === undefined ? import('./serve.ts') : import(bundle));
