export {
  dataIn,
  HEARTBEAT_MS,
  loginIn,
  loginType,
  message,
  sessionKindIn,
  startStatus,
  type,
  type LoginType,
  type SessionKind,
} from './messages.ts';
export { MessageReader, type Side } from './message-reader.ts';
export { digestOf, encodeTexts, textsIn, type Md5 } from './digest-login.ts';
export { type FailedSession, type SessionFailure, type SessionSecrets } from './session-login.ts';
export { SolSession, type SolStep } from './sol-session.ts';
export {
  device,
  IDER_SILENCE_MAX_MS,
  iderMessage,
  iderType,
  resultIn,
  sequenceIn,
  type CommandResult,
  type DriveCommand,
  type Sense,
} from './ider-messages.ts';
export { BLOCK_BYTES, BLOCKS_MAX, type BlockRange } from './cd-drive.ts';
export { IderSession, type IderStep, type SuppliedStep } from './ider-session.ts';
