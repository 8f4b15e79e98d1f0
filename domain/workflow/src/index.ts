export {
  actionStates,
  isTerminal,
  workflowStateOf,
  workflowStates,
  type ActionState,
  type WorkflowState,
} from './state.ts';
export { eventKinds, type ActionReport, type EventKind, type Reason, type WorkflowEvent } from './event.ts';
export { statusOf } from './first-status.ts';
export {
  actionAt,
  chooseWorkflow,
  currentActionOf,
  type ActionPlace,
  type Choice,
  type NothingToDo,
} from './next-action.ts';
export { table, transition, type Transition, type TransitionContext } from './transition.ts';
export { effectsFor, needsPreparation, type Effect } from './effects.ts';
export { ulid } from './ulid.ts';
