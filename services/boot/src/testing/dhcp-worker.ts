/** The thread of `start-dhcp-thread.ts`. */
import { parentPort } from 'node:worker_threads';
import { nodeClock, nodeUdp } from '@tinkerbell/platform-node';
import { createDhcpFront, type DhcpOrder } from '../dhcp-front.ts';

const report = (message: unknown): void => parentPort?.postMessage(message, []);
const take = createDhcpFront({ udp: nodeUdp, clock: nodeClock, report });
parentPort?.on('message', (order: DhcpOrder) => take(order));
