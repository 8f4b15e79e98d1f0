/** The thread that owns the DHCP sockets. */
import { parentPort } from 'node:worker_threads';
import { nodeClock } from '@tinkerbell/platform-node/clock';
import { keepHeapSmall } from '@tinkerbell/platform-node/collector';
import { runFirstUntilBusy } from '@tinkerbell/platform-node/first-thread';
import { runFirst } from '@tinkerbell/platform-node/thread-priority';
import { nodeUdp } from '@tinkerbell/platform-node/udp';
import { createDhcpFront } from '@tinkerbell/service-boot/dhcp-front';

runFirst();
await runFirstUntilBusy();
// The copies of reservations that came with messages are garbage soon after the start.
keepHeapSmall();
const take = createDhcpFront({
  udp: nodeUdp,
  clock: nodeClock,
  report: (report) => parentPort?.postMessage(report, []),
});
parentPort?.on('message', take);
