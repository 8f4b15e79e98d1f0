export { bundleAgent } from './agent-bundle.ts';
export { buildHook, type HookArtifact, type HookBuild, type HookOptions } from './build-hook.ts';
export { openDebianArchive, type DebianArchive } from './debian-archive.ts';
export { encodeCpio, type CpioEntry } from './cpio.ts';
export { buildIso, type IsoArtifact, type IsoOptions } from './iso.ts';
export { fetchIpxeBinaries, type IpxeBinaries } from './ipxe-binaries.ts';
export { runCommand, type CommandOptions } from './run-command.ts';
export { withCacheLock } from './cache-lock.ts';
