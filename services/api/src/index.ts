export type { AccessQuestion, Authorizer, UserInfo } from './authorizer.ts';
export { createApiService, type ApiDeps } from './api-service.ts';
