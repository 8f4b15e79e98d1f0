export { enterPrivateNetwork, type PrivateNetwork } from './private-network.ts';
export { createMachine, type Firmware, type Machine, type MachineOptions } from './qemu-machine.ts';
export { buildDebianImage, type DebianImage } from './debian-image.ts';
export { fetchIpxeBinaries, type IpxeBinaries } from './ipxe-binaries.ts';
export { startServer, type RunningServer, type ServerOptions } from './start-server.ts';
export { createObject, followTimeline, type ApiObject, type TimelineRecord } from './api-client.ts';
export { startRouterAdvertiser } from './router-advertiser.ts';
export { createSerialConsole, type SerialConsole } from './serial-console.ts';
export { loadDemoManifests, type DemoMachine, type DemoManifests } from './demo-manifests.ts';
