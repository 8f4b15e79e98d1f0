/** The state machine decides about a workflow, as in every service that changes one. */
export {
  applyWorkflowEvent as applyEvent,
  workflowCollection,
  type ApplyDeps,
} from '@tinkerbell/store-contract';
