export {
  actionStates,
  isTerminal,
  workflowStateOf,
  workflowStates,
  type ActionState,
  type WorkflowState,
} from './state.ts';
export {
  eventKinds,
  type ActionReport,
  type BootFailure,
  type EventKind,
  type WorkflowEvent,
} from './event.ts';
export {
  operatorVerbs,
  type ActionEdit,
  type ActionName,
  type OperatorEvent,
  type OperatorVerb,
} from './operator-event.ts';
export { reasonText, type Reason } from './reason.ts';
export { shownState } from './shown-state.ts';
export { statusOf } from './first-status.ts';
export {
  actionAt,
  assignedTo,
  chooseWorkflow,
  currentActionOf,
  handedOutOf,
  type ActionPlace,
  type Choice,
  type NothingToDo,
} from './next-action.ts';
export { table, transition } from './transition.ts';
export type { Transition, TransitionContext } from './step.ts';
export {
  bootJobActions,
  bootJobName,
  bootJobOf,
  bootJobProgress,
  bootOnceActions,
  type BootJobProblem,
  type BootPhase,
} from './boot-job.ts';
export { effectsFor, needsPreparation, type Effect } from './effects.ts';
export { ulid } from './ulid.ts';
