#!/usr/bin/env node
import { launch } from './launch.mjs';

launch('tink', ['--min-semi-space-size=16']);
