export { architectureOf, binaryFor } from './architecture.ts';
export { classifyClient, type NetbootClient } from './client.ts';
export { bootFileFor, NOT_ALLOWED_FILE, scriptUrlFor, type BootFile } from './boot-file.ts';
export type { IgnoreReason, ReservationRefusal } from './reasons.ts';
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
export { loaderFileNameOf, type LoaderFileName } from './loader-file-name.ts';
export { raspberryPiFile, type RaspberryPiFile } from './raspberry-pi-file.ts';
export { bootsUnknownMachine } from './unknown-machine.ts';
export type { HookScriptSettings, NetbootSettings } from './settings.ts';
