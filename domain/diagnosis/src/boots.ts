/** The boots of a timeline, without the causes: what the web console needs of this package. */
export { bootsIn, type StagedRecord } from './boot/boot-records.ts';
export { verdictOn, type BootVerdict } from './boot/boot-verdict.ts';
export type { Check } from './checks.ts';
export { meaningOf } from './boot/event-table.ts';
export type { ShownVerdict } from './shown-verdict.ts';
export type { TimelineRecord } from './timeline-record.ts';
