export { AmtSimulator, type AmtSimulatorOptions } from './amt-simulator.ts';
export { type AmtDriveSession } from './amt-drive-session.ts';
export { type AmtLies } from './amt-lies.ts';
export { IpmiResponder, type IpmiResponderDeps, type IpmiResponderOptions } from './ipmi-responder.ts';
export { type IpmiLies } from './ipmi-lies.ts';
export { bootedByBmc, bootedFromImage, bootedFromUrl, openBmcOf, type MachineBmc } from './bmc-of-machine.ts';
export { controlledMachine } from './machine-with-bmc.ts';
export { PlainMachine, type SimulatedMachine, type SimulatedSerial } from './simulated-machine.ts';
export { PlainRedfishMachine, type RedfishSimulatedMachine } from './redfish-machine.ts';
export { type RedfishLies } from './redfish-lies.ts';
export { type RedfishFeatures } from './redfish-resources.ts';
export { RedfishSimulator, type RedfishSimulatorOptions } from './redfish-simulator.ts';
export {
  RedfishService,
  type RedfishAnswer,
  type RedfishRequest,
  type RedfishServiceOptions,
} from './redfish-service.ts';
