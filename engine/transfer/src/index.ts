export { transfer, type TransferOptions } from './transfer.ts';
export { TransferRefusal } from './transfer-refusal.ts';
export type { KindReport, TransferPlace, TransferReport } from './transfer-place.ts';
