export { createWorkflowsService, type WorkflowsService } from './workflows-service.ts';
export type { WorkflowsConfig, WorkflowsDeps } from './agent-call-deps.ts';
export { createInProcessAgents, type InProcessAgents } from './in-process-agents.ts';
export type { AutoDiscoveryConfig, AutoEnrollmentConfig } from './newcomers.ts';
export { createWorkflowsMetrics } from './metrics.ts';
