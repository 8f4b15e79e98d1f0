#!/usr/bin/env node
import { launch } from './launch.mjs';

launch(
  'server',
  [
    '--max-semi-space-size=8',
    '--sparkplug-filter=none',
    '--maglev-filter=none',
    '--turbo-filter=none',
    '--heap-growing-percent=110',
    '--no-allocation-site-pretenuring',
  ],
  { MALLOC_ARENA_MAX: '1' },
);
