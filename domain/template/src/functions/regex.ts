import {
  BOOL,
  boolValue,
  type CallContext,
  FunctionError,
  type FunctionSpec,
  INT,
  listValue,
  STRING,
  STRING_SLICE,
  stringListValue,
  stringValue,
  type Value,
} from '@tinkerbell/go-template';
import { compileRegexp, type GoRegexp, mustCompileRegexp, quoteMeta, replacementOf } from '../go/regexp.ts';
import { integer, text } from './operands.ts';

/** Uses a compiled pattern with the other operands, the text first. */
interface RegexSpec {
  readonly others: FunctionSpec['params'];
  readonly result: NonNullable<FunctionSpec['result']>;
  readonly run: (regexp: GoRegexp, operands: readonly Value[], context: CallContext) => Value;
}

const SPECS: Readonly<Record<string, RegexSpec>> = {
  RegexMatch: { others: [STRING], result: BOOL, run: (re, [source]) => boolValue(re.matches(text(source))) },
  RegexFind: { others: [STRING], result: STRING, run: (re, [source]) => stringValue(re.find(text(source))) },
  RegexFindAll: {
    others: [STRING, INT],
    result: STRING_SLICE,
    run: (re, [source, count]) => listOrNil(re.findAll(text(source), integer(count))),
  },
  RegexSplit: {
    others: [STRING, INT],
    result: STRING_SLICE,
    run: (re, [source, count]) => listOrNil(re.split(text(source), integer(count))),
  },
  RegexReplaceAll: {
    others: [STRING, STRING],
    result: STRING,
    run: (re, [source, template], context) =>
      stringValue(re.replaceAll(text(source), replacementOf(text(template), context))),
  },
  RegexReplaceAllLiteral: {
    others: [STRING, STRING],
    result: STRING,
    run: (re, [source, replacement]) => stringValue(re.replaceAll(text(source), () => text(replacement))),
  },
};

/** Sprig's regular expressions (RE2). A bad pattern fails, except in regexMatch, where it does not match. */
export const REGEX_FUNCTIONS: Readonly<Record<string, FunctionSpec>> = {
  ...Object.fromEntries(
    Object.entries(SPECS).flatMap(([name, spec]) => [
      [`must${name}`, regexFunction(spec, returned)],
      [`r${name.slice(1)}`, regexFunction(spec, mustCompileRegexp)],
    ]),
  ),
  regexMatch: {
    params: [STRING, STRING],
    result: BOOL,
    call: ([pattern, source], context) => {
      const compiled = compileRegexp(text(pattern), context);
      return boolValue(compiled.ok && compiled.regexp.matches(text(source)));
    },
  },
  regexQuoteMeta: {
    params: [STRING],
    result: STRING,
    call: ([source]) => stringValue(quoteMeta(text(source))),
  },
};

function regexFunction(
  { others, result, run }: RegexSpec,
  compile: (pattern: string, context: CallContext) => GoRegexp,
): FunctionSpec {
  return {
    params: [STRING, ...others],
    result,
    call: ([pattern, ...operands], context) => run(compile(text(pattern), context), operands, context),
  };
}

function returned(pattern: string, context: CallContext): GoRegexp {
  const compiled = compileRegexp(pattern, context);
  if (!compiled.ok) throw new FunctionError(compiled.error);
  return compiled.regexp;
}

function listOrNil(parts: readonly string[] | undefined): Value {
  return parts === undefined ? listValue(null, STRING_SLICE) : stringListValue(parts);
}
