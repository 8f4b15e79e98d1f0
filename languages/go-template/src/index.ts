export {
  execute,
  type ExecuteOptions,
  type ExecuteResult,
  parseTemplate,
  type ParseOptions,
  type ParseResult,
  type Template,
} from './execute.ts';
export { BUILTIN_NAMES } from './builtins.ts';
export type { MissingKey } from './frame.ts';
export { type FromJsonOptions, fromJson } from './from-json.ts';
export { functionMap, type FunctionMap, type FunctionSpec } from './function-table.ts';
export {
  byteLength,
  compareStrings,
  decodeUtf8,
  encodeUtf8,
  normalizeBytes,
  runeCount,
  toWellFormedText,
} from './go-string.ts';
export {
  BOOL,
  FLOAT64,
  INT,
  INT64,
  INTERFACE,
  INTERFACE_MAP,
  INTERFACE_SLICE,
  mapOf,
  pointerTo,
  sliceOf,
  STRING,
  STRING_MAP,
  STRING_SLICE,
  structType,
  typeText,
} from './go-type.ts';
export type {
  FunctionType,
  GoType,
  IntegerKind,
  MapType,
  PointerType,
  SliceType,
  StructField,
  StructMethod,
  StructType,
} from './go-model.ts';
export {
  DEFAULT_EXECUTE_LIMITS,
  DEFAULT_PARSE_LIMITS,
  type ExecuteLimits,
  type ParseLimits,
  VALUE_DEPTH_MAX,
  VALUE_NODE_SIZE,
} from './limits.ts';
export { LimitExceeded } from './meter.ts';
export { floatText } from './float-text.ts';
export { parseGoFloat, parseGoInteger } from './number-literal.ts';
export { FunctionError, sortedEntries, sprint, typeName } from './printer.ts';
export { sprintf } from './printf.ts';
export { isPrintable, quote } from './quoting.ts';
export type { TemplateError, TemplateErrorCode } from './template-error.ts';
export {
  boolValue,
  FALSE,
  floatValue,
  functionValue,
  heldFields,
  indirect,
  intValue,
  isTrue,
  listValue,
  mapValue,
  NIL,
  pointerValue,
  stringListValue,
  stringValue,
  structValue,
  TRUE,
  unwrapInterface,
  zeroValue,
} from './value.ts';
export type {
  CallContext,
  FunctionValue,
  IntegerValue,
  MapValue,
  PointerValue,
  SliceValue,
  StructValue,
  Value,
} from './go-model.ts';
