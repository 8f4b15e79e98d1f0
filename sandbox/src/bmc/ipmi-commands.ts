import {
  bootParameter,
  chassisControlCommand,
  chassisOperationOf,
  chassisStatusCommand,
  completion,
  decodeBootFlags,
  deviceIdCommand,
  encodeBootFlags,
  encodeBootParameter,
  encodeChassisStatus,
  encodeDeviceId,
  getBootOptionsCommand,
  netFn,
  setBootOptionsCommand,
  type IpmiRequest,
  type IpmiResponse,
} from '@tinkerbell/ipmi';
import {
  failure,
  keyOf,
  success,
  type Answer,
  type AnswerCommand,
  type CommandContext,
} from './command-answers.ts';
import { recordCommands } from './record-commands.ts';

/** Performs a command on the machine. Unknown commands get the completion code for that. */
export function answerCommand(request: IpmiRequest, context: CommandContext): Answer {
  const answer = commands.get(keyOf(request.netFn, request.command));
  return answer === undefined ? failure(completion.invalidCommand) : answer(request, context);
}

const commands: ReadonlyMap<string, AnswerCommand> = new Map<string, AnswerCommand>([
  [keyOf(netFn.application, deviceIdCommand), (_, { machine }) => success(encodeDeviceId(machine.device))],
  [keyOf(netFn.chassis, chassisStatusCommand), answerStatus],
  [keyOf(netFn.chassis, chassisControlCommand), answerControl],
  [keyOf(netFn.chassis, setBootOptionsCommand), answerSetBootOptions],
  [keyOf(netFn.chassis, getBootOptionsCommand), answerGetBootOptions],
  ...recordCommands,
]);

async function answerStatus(_: IpmiRequest, { machine }: CommandContext): Promise<IpmiResponse> {
  return success(encodeChassisStatus({ isPowered: await machine.isOn(), hasPowerFault: false }));
}

async function answerControl(
  { bytes }: IpmiRequest,
  { machine, lies }: CommandContext,
): Promise<IpmiResponse> {
  const operation = chassisOperationOf(bytes);
  if (operation === undefined) return failure(completion.invalidField);
  if (operation === 'cycle' && !(await machine.isOn())) return failure(completion.notInPresentState);
  if (lies.ignoresPower !== true) await machine.power(operation);
  return success();
}

const PARAMETER_UNSUPPORTED = 0x80;

function answerSetBootOptions({ bytes }: IpmiRequest, { machine, lies }: CommandContext): IpmiResponse {
  const parameter = (bytes[0] ?? 0) & 0x7f;
  if (parameter === bootParameter.bootFlags) {
    const flags = decodeBootFlags(bytes.subarray(1));
    if (!flags.ok) return failure(completion.lengthInvalid);
    if (lies.ignoresBootDevice !== true) machine.bootFlags = flags.value;
    return success();
  }
  const isKnown = Object.values<number>(bootParameter).includes(parameter);
  return isKnown ? success() : failure(PARAMETER_UNSUPPORTED);
}

const noFlags = { isValid: false, isPersistent: false, isEfi: false, device: 'none' } as const;

function answerGetBootOptions({ bytes }: IpmiRequest, { machine }: CommandContext): IpmiResponse {
  const parameter = (bytes[0] ?? 0) & 0x7f;
  if (parameter !== bootParameter.bootFlags) return failure(PARAMETER_UNSUPPORTED);
  const value = encodeBootFlags(machine.bootFlags ?? noFlags);
  return success(encodeBootParameter({ parameter, isInvalid: false, bytes: value }));
}
