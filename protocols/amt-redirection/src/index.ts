export { loginIn, loginType, message, startStatus, type, type LoginType } from './messages.ts';
export { dataIn, HEARTBEAT_MS } from './messages.ts';
export { MessageReader, type Side } from './message-reader.ts';
export { digestOf, encodeTexts, textsIn, type Md5 } from './digest-login.ts';
export { SolSession, type SolFailure, type SolStep } from './sol-session.ts';
