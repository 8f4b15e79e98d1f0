export {
  applyWorkflowEvent,
  applyWorkflowEvents,
  type ApplyDeps,
  type EventOf,
} from './apply-workflow-event.ts';
export { recordStateChange, subjectOf, type StateChange } from './workflow-timeline.ts';
