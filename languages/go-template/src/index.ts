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
  type FunctionType,
  type GoType,
  INT,
  INT64,
  type IntegerKind,
  INTERFACE,
  INTERFACE_MAP,
  INTERFACE_SLICE,
  mapOf,
  type MapType,
  pointerTo,
  type PointerType,
  sliceOf,
  type SliceType,
  STRING,
  STRING_MAP,
  STRING_SLICE,
  type StructField,
  type StructMethod,
  structType,
  type StructType,
  typeText,
} from './go-type.ts';
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
  type CallContext,
  FALSE,
  floatValue,
  type FunctionValue,
  functionValue,
  heldFields,
  indirect,
  intValue,
  type IntegerValue,
  isTrue,
  listValue,
  type MapValue,
  mapValue,
  NIL,
  type PointerValue,
  pointerValue,
  type SliceValue,
  stringListValue,
  stringValue,
  type StructValue,
  structValue,
  TRUE,
  unwrapInterface,
  type Value,
  zeroValue,
} from './value.ts';
