export { type HashAlgorithm, type IpmiCrypto } from './crypto.ts';
export { DATAGRAM_BYTES_MAX, decodeRmcp, encodeRmcp, RMCP_PORT, type RmcpPacket } from './packet/rmcp.ts';
export { decodeAsf, encodeAsf, type AsfMessage } from './packet/asf.ts';
export {
  decodeSessionPacket,
  encodeExtendedPacket,
  encodePlainPacket,
  payloadType,
  type ExtendedPacket,
  type PlainPacket,
  type SessionPacket,
} from './packet/session-packet.ts';
export { cipherSuites, cipherSuiteWithId, type CipherSuite } from './session/cipher-suite.ts';
export {
  startLogin,
  type Login,
  type LoginFailure,
  type LoginOutcome,
  type LoginSettings,
  type LoginStep,
} from './session/login.ts';
export { stepLogin, type LoginEvent } from './session/login-answers.ts';
export { SHORT_PASSWORD_BYTES_MAX } from './session/signed-packet.ts';
export { rakpStatus } from './session/rakp-status.ts';
export { PASSWORD_BYTES_MAX, USERNAME_BYTES_MAX } from './session/rakp-message.ts';
export {
  createClientSession,
  sendPayload,
  startRequest,
  stepClient,
  type ClientEvent,
  type ClientSession,
  type ClientStep,
  type RequestOptions,
} from './session/client-session.ts';
export { type Payload, type Session } from './session/protection.ts';
export { completion, describeCompletion } from './message/completion-code.ts';
export { netFn, type IpmiRequest, type IpmiResponse, type RequestMessage } from './message/ipmi-message.ts';
export {
  closeSessionRequest,
  decodePrivilege,
  privilegeLevel,
  setPrivilegeRequest,
} from './commands/session-commands.ts';
export {
  decodeDeviceId,
  deviceIdCommand,
  deviceIdRequest,
  encodeDeviceId,
  type DeviceId,
} from './commands/device-id.ts';
export {
  chassisControlCommand,
  chassisControlRequest,
  chassisOperationOf,
  chassisStatusCommand,
  chassisStatusRequest,
  decodeChassisStatus,
  encodeChassisStatus,
  type ChassisOperation,
  type ChassisStatus,
} from './commands/chassis.ts';
export {
  bootParameter,
  decodeBootFlags,
  decodeBootParameter,
  encodeBootFlags,
  encodeBootParameter,
  getBootOptionsCommand,
  getBootParameterRequest,
  setBootOptionsCommand,
  setBootParameterRequest,
  type BootFlags,
  type IpmiBootDevice,
} from './commands/boot-options.ts';
export {
  activatePayloadCommand,
  activateSolRequest,
  deactivatePayloadCommand,
  deactivateSolRequest,
  decodeActivatedSol,
  encodeActivatedSol,
  isForSol,
  type ActivatedSol,
} from './commands/sol-commands.ts';
export {
  CHARACTERS_MAX,
  decodeSol,
  encodeSol,
  solOperation,
  solStatus,
  type SolPacket,
} from './sol/sol-packet.ts';
export {
  startSolStream,
  stepSolStream,
  unacceptedCount,
  type SolEvent,
  type SolStep,
  type SolStream,
} from './sol/sol-stream.ts';
export {
  createResponder,
  type BmcAccount,
  type ReceivedRequest,
  type Responder,
  type ResponderDatagram,
  type ResponderSettings,
  type ResponderStep,
} from './responder/responder.ts';
export { answerRequest, sendToClient, stepResponder } from './responder/responder-requests.ts';
export {
  decodeInventoryArea,
  decodeInventoryBytes,
  decodeInventoryRange,
  encodeInventoryArea,
  inventoryAreaCommand,
  inventoryAreaRequest,
  readInventoryCommand,
  readInventoryRequest,
} from './commands/inventory-commands.ts';
export {
  decodeInventory,
  encodeInventory,
  INVENTORY_BYTES_MAX,
  type Inventory,
} from './records/inventory.ts';
export {
  decodeEventEntry,
  decodeEventLogInfo,
  encodeEventEntry,
  encodeEventLogInfo,
  eventEntryCommand,
  eventEntryRequest,
  eventLogInfoCommand,
  eventLogInfoRequest,
  LAST_RECORD,
  reserveEventLogCommand,
} from './commands/event-log-commands.ts';
export {
  decodeEventRecord,
  encodeSystemEvent,
  type EventRecord,
  type SystemEvent,
} from './records/event-record.ts';
export {
  decodeReservation,
  decodeSensorReading,
  decodeSensorRecordPart,
  decodeSensorRecordRange,
  decodeSensorRepository,
  encodeSensorReading,
  encodeSensorRecordPart,
  encodeSensorRepository,
  reserveSensorsCommand,
  reserveSensorsRequest,
  sensorReadingCommand,
  sensorReadingRequest,
  sensorRecordCommand,
  sensorRecordRequest,
  sensorRepositoryCommand,
  sensorRepositoryRequest,
} from './commands/sensor-commands.ts';
export {
  decodeSensorRecord,
  decodeSensorRecordHeader,
  encodeSensorRecord,
  sensorValue,
  type SensorRecord,
} from './records/sensor-record.ts';
export {
  decodeUserCount,
  decodeUserName,
  setPasswordRequest,
  userCountRequest,
  userNameRequest,
} from './commands/user-commands.ts';
