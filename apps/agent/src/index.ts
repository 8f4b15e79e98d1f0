export { runAgent } from './agent.ts';
export type { AgentDependencies } from './agent-dependencies.ts';
export { readSettings, type Settings, type SettingsSources } from './settings.ts';
export { createWorkflowClient, type WorkflowClient } from './workflow-client.ts';
export { createServerLink, type ServerLink } from './server-link.ts';
export type { FinishedAction } from './kept-files.ts';
export { createSpool, type Spool } from './spool.ts';
export { readAttributes } from '@tinkerbell/engine-hardware-attributes';
export { CONTAINER_DEFAULTS, containerSettings, type ContainerSettings } from './container-settings.ts';
