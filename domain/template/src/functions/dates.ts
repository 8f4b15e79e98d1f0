import {
  FunctionError,
  type FunctionSpec,
  INTERFACE,
  STRING,
  stringValue,
  unwrapInterface,
  type Value,
} from '@tinkerbell/go-template';
import { durationText, parseDuration, roundedDuration, SECOND } from '../go/duration.ts';
import { nanosecondsOf, TIME, timeAfter, timeOf, timeValue, ZERO_TIME } from '../go/time.ts';
import { operand, text } from './operands.ts';
import { parseTime } from '../go/time-parse.ts';
import { platformOf, type TemplatePlatform } from '../template-platform.ts';

/** Sprig's date functions that Tinkerbell has. The local time zone is UTC, as in upstream's container. */
export function dateFunctions(
  platform: TemplatePlatform | undefined,
): Readonly<Record<string, FunctionSpec>> {
  const now = (name: string): bigint => BigInt(Math.trunc(platformOf(platform, name).nowMs())) * 1_000_000n;
  const modify: FunctionSpec = {
    params: [STRING, TIME],
    result: TIME,
    call: ([by, time]) => {
      const duration = parseDuration(text(by));
      if (!duration.ok) throw new FunctionError(duration.error);
      return timeValue(timeAfter(timeOf(time), duration.nanoseconds));
    },
  };
  return {
    toDate: {
      params: [STRING, STRING],
      result: TIME,
      call: ([layout, source]) => {
        const parsed = parseTime(text(layout), text(source));
        return timeValue(parsed.ok ? parsed.time : ZERO_TIME);
      },
    },
    mustToDate: {
      params: [STRING, STRING],
      result: TIME,
      call: ([layout, source]) => {
        const parsed = parseTime(text(layout), text(source));
        if (!parsed.ok) throw new FunctionError(parsed.error);
        return timeValue(parsed.time);
      },
    },
    mustDateModify: modify,
    must_date_modify: modify,
    unixEpoch: {
      params: [TIME],
      result: STRING,
      call: ([time]) => stringValue(String(timeOf(time).seconds)),
    },
    ago: {
      params: [INTERFACE],
      result: STRING,
      call: ([time]) => {
        const passed = now('ago') - (momentOf(operand(time)) ?? now('ago'));
        return stringValue(durationText(roundedToSeconds(passed)));
      },
    },
    duration: {
      params: [INTERFACE],
      result: STRING,
      call: ([seconds]) => stringValue(durationText(BigInt.asIntN(64, secondsOf(operand(seconds)) * SECOND))),
    },
    durationRound: {
      params: [INTERFACE],
      result: STRING,
      call: ([duration]) =>
        stringValue(roundedDuration(nanosecondsOfDuration(operand(duration), () => now('durationRound')))),
    },
  };
}

/** Returns nanoseconds since 1970 for a time or Unix seconds, and undefined for anything else. */
function momentOf(value: Value): bigint | undefined {
  if (value.kind === 'struct' && value.type === TIME) return nanosecondsOf(timeOf(value));
  const isSeconds = value.kind === 'integer' && (value.type.kind === 'int' || value.type.kind === 'int64');
  return isSeconds ? value.value * SECOND : undefined;
}

function roundedToSeconds(nanoseconds: bigint): bigint {
  const rest = nanoseconds % SECOND;
  const size = rest < 0n ? -rest : rest;
  const away = nanoseconds < 0n ? -SECOND : SECOND;
  return nanoseconds - rest + (size * 2n >= SECOND ? away : 0n);
}

/** Sprig accepts int64 and text, but not int. A value out of range becomes the nearest one within it. */
function secondsOf(held: Value): bigint {
  const value = unwrapInterface(held);
  if (value.kind === 'integer' && value.type.kind === 'int64') return value.value;
  if (value.kind !== 'string' || !/^[-+]?[0-9]+$/.test(value.value)) return 0n;
  const number = BigInt(value.value.replace(/^\+/, ''));
  const most = 2n ** 63n - 1n;
  if (number > most) return most;
  return number < -most - 1n ? -most - 1n : number;
}

function nanosecondsOfDuration(value: Value, now: () => bigint): bigint {
  if (value.kind === 'integer' && value.type.kind === 'int64') return value.value;
  if (value.kind === 'struct' && value.type === TIME) return now() - nanosecondsOf(timeOf(value));
  const parsed = value.kind === 'string' ? parseDuration(value.value) : undefined;
  return parsed?.ok === true ? parsed.nanoseconds : 0n;
}
