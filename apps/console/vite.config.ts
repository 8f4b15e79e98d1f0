/** Builds the web console into `out/console`: `node scripts/build-console.ts`. */
import { join } from 'node:path';
import { defineConfig } from 'vite';

// oxlint-disable-next-line import/no-default-export -- Vite reads the default export
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  logLevel: 'error',
  build: {
    outDir: process.env['CONSOLE_OUT'] ?? join(import.meta.dirname, '../../out/console'),
    emptyOutDir: true,
    // The policy of the page allows files of the server only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: 'manifest.json',
  },
});
