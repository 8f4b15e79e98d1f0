export { applyWorkflowEvent, type ApplyDeps } from './apply-workflow-event.ts';
export { recordStateChange, subjectOf, type StateChange } from './workflow-timeline.ts';
