export { bootsIn, mayBeginFirst, type StagedRecord } from './boot/boot-records.ts';
export { stageTimes, stepsOf, type BootStep } from './boot/boot-steps.ts';
export { verdictOn, type BootVerdict } from './boot/boot-verdict.ts';
export { stages, type Stage } from './boot/event-table.ts';
export type { Cause, Certainty, Evidence } from './causes/cause.ts';
export { causes } from './causes/causes.ts';
export { holderCheck, portCheck, probedAddresses, type Check, type TriedChecks } from './checks.ts';
export {
  diagnose,
  stepDurations,
  verdictStates,
  type Diagnosis,
  type Verdict,
  type VerdictState,
} from './diagnose.ts';
export type { NearMachine, Observation } from './facts.ts';
export { nearMacs } from './near-macs.ts';
export { areNeighbours, isInNetwork, type AddressInNetwork } from './networks.ts';
export { stepNames, steps, type StepName } from './steps.ts';
export type { TimelineRecord } from './timeline-record.ts';
export { modelOf, UsualDurations } from './usual-durations.ts';
export { Verdicts } from './verdicts.ts';
export { shownVerdict, type ShownVerdict } from './shown-verdict.ts';
