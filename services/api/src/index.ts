export { createPolicyBook, type PolicyBook } from './access/policy-book.ts';
export { createApiService, type ApiDeps } from './api-service.ts';
export { createApiMetrics } from './metrics.ts';
