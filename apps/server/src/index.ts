export { defaultOf, environmentNameOf, type Flag } from './settings/flag.ts';
export { flags } from './settings/flags/index.ts';
export { COMMANDS } from './settings/help-text.ts';
export { readConfigFile } from './settings/config-file.ts';
export { VERSION } from './version.ts';
