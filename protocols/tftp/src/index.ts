export { DATA_HEAD_BYTES, writeDataHeads } from './data-heads.ts';
export {
  decodeTftp,
  encodeTftp,
  REQUEST_BYTES_MAX,
  tftpError,
  type TftpOptions,
  type TftpPacket,
} from './packet.ts';
export { defaultTransferLimits, type TransferLimits, type TransferSettings } from './negotiate.ts';
export {
  blockCountOf,
  startReadTransfer,
  stepReadTransfer,
  type ReadTransfer,
  type TransferEvent,
  type TransferOutcome,
  type TransferSend,
  type TransferStep,
} from './read-transfer.ts';
