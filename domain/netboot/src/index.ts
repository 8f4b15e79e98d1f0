export { architectureOf, binaryFor, knownBinaries } from './architecture.ts';
export { classifyClient, type NetbootClient } from './client.ts';
export { bootFileFor, NOT_ALLOWED_FILE, scriptUrlFor, whyNoBinary, type BootFile } from './boot-file.ts';
export type { IgnoreReason, ReservationRefusal } from './reasons.ts';
export { foreignServerOf, type ForeignServer } from './foreign-server.ts';
export type { Arrival, ReplyDecision, ReplyInput } from './decision.ts';
export { parseMacPrefix, type ProxyAllowList } from './proxy-allow-list.ts';
export { poolFor, type AddressPool } from './pool.ts';
export { parseAddressPool, type PoolResult } from './pool-parser.ts';
export { poolReply, type PoolReplyKind } from './pool-reply.ts';
export { poolStepFor, type PoolStep } from './pool-step.ts';
export { PoolTable, type Holding } from './pool-table.ts';
export { replyTo } from './reply.ts';
export { refusal } from './reservation-reply.ts';
export {
  LEASE_TIME_SECONDS_DEFAULT,
  reservationFor,
  type Reservation,
  type ReservationResult,
} from './reservation.ts';
export {
  AUTOEXEC_SCRIPT,
  scriptFor,
  staticScriptFor,
  type ScriptDecision,
  type ScriptInput,
} from './script.ts';
export { HOOK_PREFIX, loaderConfigFor, type LoaderConfig, type LoaderKind } from './loader-config.ts';
export { ISO_MAGIC } from './iso-magic.ts';
export { IsoMagicSearch } from './iso-magic-search.ts';
export { overlayPatch, paddedPatch } from './iso-overlay.ts';
export { isoPatchFor, type IsoPatch, type IsoPatchInput } from './iso-patch-text.ts';
export { isoSourceFor, type IsoSource } from './iso-source.ts';
export { loaderFileNameOf, type LoaderFileName } from './loader-file-name.ts';
export { raspberryPiFile, type RaspberryPiFile } from './raspberry-pi-file.ts';
export { U_BOOT_SCRIPT_NAME, uBootScript } from './u-boot-script.ts';
export { bootsUnknownMachine } from './unknown-machine.ts';
export type { HookScriptSettings, NetbootSettings } from './settings.ts';
export { v6BootUrlFor, type V6NoBootReason, type V6Settings } from './v6-boot-url.ts';
export { classifyV6Client, v6MacsOf, type V6Question } from './v6-client.ts';
export { replyToV6, type V6IgnoreReason, type V6ReplyDecision } from './v6-reply.ts';
export { v6ReservationFor, type V6Reservation, type V6ReservationResult } from './v6-reservation.ts';
