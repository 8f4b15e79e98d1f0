export {
  createWorkflowsService,
  type WorkflowsConfig,
  type WorkflowsDeps,
  type WorkflowsService,
} from './workflows-service.ts';
export type { AutoDiscoveryConfig, AutoEnrollmentConfig } from './newcomers.ts';
export { createWorkflowsMetrics } from './metrics.ts';
