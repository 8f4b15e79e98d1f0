#!/usr/bin/env node
import { launch } from './launch.mjs';

launch('server', ['--max-semi-space-size=8', '--heap-growing-percent=110'], { MALLOC_ARENA_MAX: '1' });
