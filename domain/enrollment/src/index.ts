export {
  hardwareOfAgent,
  machineOfAgent,
  type AgentHardware,
  type HardwareLookup,
} from './agent-hardware.ts';
export type { AgentAttributes } from './agent-attributes.ts';
export { APPROVAL_ANNOTATION, APPROVED, enrollmentRefusal } from './approval.ts';
export {
  ATTRIBUTES_ANNOTATION,
  attributesAnnotation,
  attributesJson,
  reportedAttributes,
  type AttributesJson,
} from './attributes-json.ts';
export {
  AGENT_ID_MAX,
  DISCOVERED_LABEL,
  discoveredHardware,
  type DiscoveredHardware,
  type DiscoverySettings,
} from './discovered-hardware.ts';
export {
  ENROLLED_LABEL,
  enrolledWorkflow,
  type EnrolledWorkflow,
  type Enrollment,
} from './enrolled-workflow.ts';
export { existingWorkflow, noRuleSetMatched, type EnrollmentRefusal } from './enrollment-refusal.ts';
export { explainRuleSets, matchRuleSets, type RuleSetMatch, type RuleSetResult } from './rule-sets.ts';
export { takeToken, type RateCap, type TokenBucket } from './rate-cap.ts';
export { UnknownMachines, type Sighting, type UnknownMachine } from './unknown-machines.ts';
export { makeValidName, type ValidName } from './valid-name.ts';
