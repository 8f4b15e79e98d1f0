export { createGatewayService, type GatewayConfig, type GatewayService } from './gateway-service.ts';
export type { GatewayDeps } from './gateway-deps.ts';
export type {
  Endpoint,
  ForwardSettings,
  JwtSettings,
  ListenerSettings,
  RouteFile,
  RouteSettings,
} from './route-file.ts';
export { createGatewayMetrics } from './metrics.ts';
