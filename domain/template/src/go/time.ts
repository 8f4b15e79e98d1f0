import {
  BOOL,
  boolValue,
  INT,
  INT64,
  intValue,
  STRING,
  stringValue,
  type StructMethod,
  type StructType,
  type StructValue,
  structValue,
  type Value,
} from '@tinkerbell/go-template';
import type { GoTime } from './go-time.ts';
import { formatTime } from './time-format.ts';

const NANOSECONDS = 1_000_000_000n;

/** The first of January of year 1, which is the result of a failed conversion. */
export const ZERO_TIME: GoTime = { seconds: -62_135_596_800n, nanoseconds: 0, offsetSeconds: 0, zone: 'UTC' };

const RFC3339_NANO = '2006-01-02T15:04:05.999999999Z07:00';
const TIME_TEXT = '2006-01-02 15:04:05.999999999 -0700 MST';

const METHODS: Readonly<Record<string, StructMethod>> = {
  Format: {
    params: [STRING],
    result: STRING,
    call: (receiver, [layout]) =>
      stringValue(formatTime(timeOf(receiver), layout?.kind === 'string' ? layout.value : '')),
  },
  String: {
    params: [],
    result: STRING,
    call: (receiver) => stringValue(formatTime(timeOf(receiver), TIME_TEXT)),
  },
  IsZero: {
    params: [],
    result: BOOL,
    call: (receiver) => boolValue(nanosecondsOf(timeOf(receiver)) === nanosecondsOf(ZERO_TIME)),
  },
  Unix: int64Of((time) => time.seconds),
  UnixMilli: int64Of((time) => nanosecondsOf(time) / 1_000_000n),
  UnixNano: int64Of(nanosecondsOf),
  Year: intOf('2006'),
  YearDay: intOf('002'),
  Day: intOf('2'),
  Hour: intOf('15'),
  Minute: intOf('4'),
  Second: intOf('5'),
  Nanosecond: {
    params: [],
    result: INT,
    call: (receiver) => intValue(timeOf(receiver).nanoseconds),
  },
};

export const TIME: StructType = {
  kind: 'struct',
  name: 'time.Time',
  fields: [
    { name: 'seconds', type: INT64, unexported: true },
    { name: 'nanoseconds', type: INT64, unexported: true },
    { name: 'offset', type: INT64, unexported: true },
    { name: 'zone', type: STRING, unexported: true },
  ],
  methods: new Map(Object.entries(METHODS)),
  text: (value) => formatTime(timeOf(value), TIME_TEXT),
  jsonText: (value) => formatTime(timeOf(value), RFC3339_NANO),
};

/** Returns the time as templates see it: with methods such as `.Format` and `.Unix`. */
export function timeValue({ seconds, nanoseconds, offsetSeconds, zone }: GoTime): Value {
  return structValue(TIME, {
    seconds: intValue(seconds, 'int64'),
    nanoseconds: intValue(nanoseconds, 'int64'),
    offset: intValue(offsetSeconds, 'int64'),
    zone: stringValue(zone),
  });
}

/** Returns the time in a value of type TIME, and the zero time for anything else. */
export function timeOf(value: Value | undefined): GoTime {
  if (value?.kind !== 'struct' || value.type !== TIME) return ZERO_TIME;
  const zone = value.fields.get('zone');
  return {
    seconds: whole(value, 'seconds'),
    nanoseconds: Number(whole(value, 'nanoseconds')),
    offsetSeconds: Number(whole(value, 'offset')),
    zone: zone?.kind === 'string' ? zone.value : '',
  };
}

/** Returns nanoseconds since 1970. */
export function nanosecondsOf({ seconds, nanoseconds }: GoTime): bigint {
  return seconds * NANOSECONDS + BigInt(nanoseconds);
}

/** Returns the time that much later, in the same zone. */
export function timeAfter(time: GoTime, nanoseconds: bigint): GoTime {
  const total = nanosecondsOf(time) + nanoseconds;
  const rest = ((total % NANOSECONDS) + NANOSECONDS) % NANOSECONDS;
  return { ...time, seconds: (total - rest) / NANOSECONDS, nanoseconds: Number(rest) };
}

function whole(value: StructValue, name: string): bigint {
  const field = value.fields.get(name);
  return field?.kind === 'integer' ? field.value : 0n;
}

function int64Of(read: (time: GoTime) => bigint): StructMethod {
  return { params: [], result: INT64, call: (receiver) => intValue(read(timeOf(receiver)), 'int64') };
}

function intOf(layout: string): StructMethod {
  return {
    params: [],
    result: INT,
    call: (receiver) => intValue(Number(formatTime(timeOf(receiver), layout))),
  };
}
