export { createApiService, type ApiDeps } from './api-service.ts';
