export {
  STOP_GRACE_MS,
  type ContainerMachine,
  type ContainerOrder,
  type OutputStream,
} from './container-order.ts';
export { runWithCrun, type CrunMachine } from './crun-container.ts';
export { runWithDocker, type DockerMachine } from './docker-container.ts';
