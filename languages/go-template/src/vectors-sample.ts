import {
  BOOL,
  boolValue,
  FLOAT64,
  floatValue,
  FunctionError,
  functionMap,
  functionValue,
  INT,
  INT64,
  INTERFACE,
  INTERFACE_MAP,
  INTERFACE_SLICE,
  intValue,
  listValue,
  mapValue,
  NIL,
  pointerTo,
  pointerValue,
  sliceOf,
  sprint,
  STRING,
  STRING_MAP,
  STRING_SLICE,
  stringListValue,
  stringValue,
  structType,
  structValue,
  typeName,
  type Value,
} from './index.ts';

/** The values and functions of ../testdata/generate.go. */

const inner = structType('main.Inner', { A: STRING, B: INT64 });
const item = structType('main.Item', { Name: STRING, Size: INT64, Opt: pointerTo(inner) });
const sampleType = structType('main.Sample', {
  Name: STRING,
  Count: INT,
  Ratio: FLOAT64,
  On: BOOL,
  Tags: STRING_SLICE,
  NilTags: STRING_SLICE,
  Labels: STRING_MAP,
  NilMap: STRING_MAP,
  Inner: inner,
  Ptr: pointerTo(inner),
  NilPtr: pointerTo(inner),
  PStr: pointerTo(STRING),
  PBool: pointerTo(BOOL),
  NilBool: pointerTo(BOOL),
  Items: sliceOf(item),
  U8: { kind: 'uint8' },
  Any: INTERFACE,
  NilAny: INTERFACE,
});

const innerOf = (a: string, b: number): Value =>
  structValue(inner, { A: stringValue(a), B: intValue(b, 'int64') });
const itemOf = (name: string, size: number, opt: Value | null): Value =>
  structValue(item, {
    Name: stringValue(name),
    Size: intValue(size, 'int64'),
    Opt: pointerValue(pointerTo(inner), opt),
  });

const sample = structValue(sampleType, {
  Name: stringValue('sam'),
  Count: intValue(3),
  Ratio: floatValue(0.5),
  On: boolValue(true),
  Tags: stringListValue(['x', 'y']),
  Labels: mapValue(
    [
      ['k2', stringValue('v2')],
      ['k1', stringValue('v1')],
    ],
    STRING_MAP,
  ),
  Inner: innerOf('in', 7),
  Ptr: pointerValue(pointerTo(inner), innerOf('p', 9)),
  PStr: pointerValue(pointerTo(STRING), stringValue('text')),
  PBool: pointerValue(pointerTo(BOOL), boolValue(false)),
  Items: listValue([itemOf('one', 1, null), itemOf('two', 2, innerOf('opt', 5))], sliceOf(item)),
  U8: intValue(200, 'uint8'),
  Any: stringValue('any'),
});

export const ANY_SAMPLE: readonly (readonly [string, Value])[] = [
  ['S', sample],
  ['SP', pointerValue(pointerTo(sampleType), sample)],
  ['NilS', pointerValue(pointerTo(sampleType), null)],
];

const text = (value: Value | undefined): string => (value?.kind === 'string' ? value.value : '');
const integer = (value: Value | undefined): bigint => (value?.kind === 'integer' ? value.value : 0n);
const addInts = (a: Value | undefined, b: Value | undefined): Value => intValue(integer(a) + integer(b));

export const SAMPLE_FUNCTIONS = functionMap({
  add: { params: [INT, INT], result: INT, call: ([a, b]) => addInts(a, b) },
  greet: {
    params: [STRING, STRING],
    variadic: true,
    result: STRING,
    call: ([name, ...rest]) => stringValue(`${text(name)}(${rest.map(text).join(',')})`),
  },
  failing: {
    params: [STRING],
    result: STRING,
    call: ([message]) => {
      throw new FunctionError(text(message));
    },
  },
  flag: {
    params: [BOOL],
    result: STRING,
    call: ([value = NIL], context) => stringValue(sprint([value], context)),
  },
  half: {
    params: [FLOAT64],
    result: FLOAT64,
    call: ([value]) => floatValue((value?.kind === 'float64' ? value.value : 0) / 2),
  },
  size: {
    params: [INTERFACE_MAP],
    result: INT,
    call: ([map]) => intValue(map?.kind === 'map' ? (map.entries?.size ?? 0) : 0),
  },
  strs: {
    params: [STRING_SLICE],
    result: STRING,
    call: ([list]) => stringValue((list?.kind === 'slice' ? (list.items ?? []) : []).map(text).join('+')),
  },
  kind: { params: [INTERFACE], result: STRING, call: ([value = NIL]) => stringValue(typeName(value)) },
  i64: { params: [INT64], result: INT64, call: ([value = NIL]) => value },
  u8: { params: [{ kind: 'uint8' }], result: { kind: 'uint8' }, call: ([value = NIL]) => value },
  adder: {
    params: [],
    result: { kind: 'func', params: [INT, INT], variadic: false, result: INT },
    call: () =>
      functionValue('', { kind: 'func', params: [INT, INT], variadic: false, result: INT }, ([a, b]) =>
        addInts(a, b),
      ),
  },
  noargs: { params: [], result: STRING, call: () => stringValue('none') },
  list: { params: [INTERFACE], variadic: true, result: INTERFACE_SLICE, call: (args) => listValue(args) },
  dict: {
    params: [INTERFACE],
    variadic: true,
    result: INTERFACE_MAP,
    call: (args, context) => {
      const pairs: [string, Value][] = [];
      for (let i = 0; i + 1 < args.length; i += 2) {
        pairs.push([sprint([args[i] ?? NIL], context), args[i + 1] ?? NIL]);
      }
      return mapValue(pairs);
    },
  },
});
