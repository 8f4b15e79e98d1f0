export { nodeClock } from './clock.ts';
export { nodeRandom } from './random.ts';
export { createNodeLog, type NodeLogOptions } from './log.ts';
export { nodeSpawn } from './spawn.ts';
export { nodeFiles } from './files.ts';
export { createNodeAddressProbe } from './address-probe.ts';
export { nodeUdp } from './udp.ts';
export { createNodeHttp } from './http.ts';
export { holderOf } from './port-holder.ts';
