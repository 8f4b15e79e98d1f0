export { IpmiResponder, type IpmiResponderDeps, type IpmiResponderOptions } from './ipmi-responder.ts';
export { type IpmiLies } from './ipmi-lies.ts';
export { bootedByBmc, openBmcOf, type MachineBmc } from './bmc-of-machine.ts';
export { controlledMachine } from './machine-with-bmc.ts';
export { PlainMachine, type SimulatedMachine, type SimulatedSerial } from './simulated-machine.ts';
