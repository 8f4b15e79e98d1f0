/** Starts `tink` from its bundle or, after an edit, from its sources. See apps/server/src/main.mjs. */
import { enableCompileCache } from 'node:module';
import { bundledProgram } from '../../../bin/bundled-program.mjs';

enableCompileCache();
const bundle = bundledProgram('tink');
await (bundle === undefined ? import('./tink.ts') : import(bundle));
