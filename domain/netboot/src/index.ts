export { architectureOf, binaryFor, knownBinaries } from './architecture.ts';
export { bmcVendorOf } from './dhcp/bmc-vendor.ts';
export { classifyClient, type NetbootClient } from './dhcp/client.ts';
export { bootFileFor, NOT_ALLOWED_FILE, scriptUrlFor, whyNoBinary, type BootFile } from './boot-file.ts';
export type { IgnoreReason, ReservationRefusal } from './dhcp/reasons.ts';
export { foreignServerOf, type ForeignServer } from './dhcp/foreign-server.ts';
export type { ReplyDecision, ReplyInput } from './dhcp/decision.ts';
export type { Arrival } from './dhcp/arrival.ts';
export { parseMacPrefix, type ProxyAllowList } from './dhcp/proxy-allow-list.ts';
export { isInPool, poolFor, type AddressPool } from './dhcp/pool.ts';
export { parseAddressPool, type PoolResult } from './dhcp/pool-parser.ts';
export { poolReply, type PoolReplyKind } from './dhcp/pool-reply.ts';
export { poolStepFor, type PoolStep } from './dhcp/pool-step.ts';
export { PoolTable, type Holding } from './dhcp/pool-table.ts';
export { replyTo } from './dhcp/reply.ts';
export { refusal } from './dhcp/reservation-reply.ts';
export {
  LEASE_TIME_SECONDS_DEFAULT,
  isSameForReservation,
  reservationFor,
  uncachedReservationFor,
  type Reservation,
  type ReservationResult,
} from './dhcp/reservation.ts';
export {
  AUTOEXEC_SCRIPT,
  scriptFor,
  staticScriptFor,
  type ScriptDecision,
  type ScriptInput,
} from './loaders/script.ts';
export { HOOK_PREFIX, loaderConfigFor, type LoaderConfig, type LoaderKind } from './loaders/loader-config.ts';
export { ISO_MAGIC } from './iso/magic.ts';
export { IsoMagicSearch } from './iso/magic-search.ts';
export { overlayPatch, paddedPatch } from './iso/overlay.ts';
export { isoPatchFor, type IsoPatch, type IsoPatchInput } from './iso/patch-text.ts';
export { isoSourceFor, type IsoSource } from './iso/source.ts';
export { loaderFileNameOf, type LoaderFileName } from './loaders/loader-file-name.ts';
export { raspberryPiFile, type RaspberryPiFile } from './loaders/raspberry-pi-file.ts';
export { U_BOOT_SCRIPT_NAME, uBootScript } from './loaders/u-boot-script.ts';
export { bootsUnknownMachine } from './unknown-machine.ts';
export type { HookScriptSettings, NetbootSettings } from './settings.ts';
export { v6BootUrlFor, type V6NoBootReason, type V6Settings } from './v6/boot-url.ts';
export { classifyV6Client, v6MacsOf, type V6Question } from './v6/client.ts';
export { replyToV6, type V6IgnoreReason, type V6ReplyDecision } from './v6/reply.ts';
export { v6ReservationFor, type V6Reservation, type V6ReservationResult } from './v6/reservation.ts';
