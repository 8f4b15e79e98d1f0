import { completion, type IpmiRequest, type IpmiResponse } from '@tinkerbell/ipmi';
import type { IpmiLies } from './ipmi-lies.ts';
import type { SimulatedMachine } from './simulated-machine.ts';

export interface CommandContext {
  readonly machine: SimulatedMachine;
  readonly lies: IpmiLies;
}

export type Answer = IpmiResponse | Promise<IpmiResponse>;
export type AnswerCommand = (request: IpmiRequest, context: CommandContext) => Answer;

const NOTHING = new Uint8Array();

export function failure(completionCode: number): IpmiResponse {
  return { completionCode, bytes: NOTHING };
}

export function success(bytes: Uint8Array = NOTHING): IpmiResponse {
  return { completionCode: completion.ok, bytes };
}

export function keyOf(group: number, command: number): string {
  return `${group}/${command}`;
}
