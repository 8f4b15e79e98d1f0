import {
  type CallContext,
  fromJson,
  FunctionError,
  type FunctionSpec,
  INTERFACE,
  NIL,
  STRING,
  stringValue,
  type Value,
} from '@tinkerbell/go-template';
import { encodeJson, type JsonStyle, NotJsonError } from '../go/json.ts';
import { operand, text } from './operands.ts';

const PLAIN: JsonStyle = { escapeHtml: true, pretty: false };
const PRETTY: JsonStyle = { escapeHtml: true, pretty: true };
const RAW: JsonStyle = { escapeHtml: false, pretty: false };

/** Sprig's JSON functions. Those without `must` swallow errors, except toRawJson. */
export const JSON_FUNCTIONS: Readonly<Record<string, FunctionSpec>> = {
  toJson: encoding(PLAIN, 'swallow'),
  mustToJson: encoding(PLAIN, 'fail'),
  toPrettyJson: encoding(PRETTY, 'swallow'),
  mustToPrettyJson: encoding(PRETTY, 'fail'),
  toRawJson: encoding(RAW, 'fail'),
  mustToRawJson: encoding(RAW, 'fail'),
  fromJson: { params: [STRING], call: ([source], context) => parse(text(source), context) ?? NIL },
  mustFromJson: {
    params: [STRING],
    call: ([source], context) => {
      const value = parse(text(source), context);
      if (value === undefined) throw new FunctionError(jsonProblem(text(source)));
      return value;
    },
  },
};

function encoding(style: JsonStyle, onError: 'swallow' | 'fail'): FunctionSpec {
  return {
    params: [INTERFACE],
    result: STRING,
    call: ([value], context) => {
      try {
        return stringValue(encodeJson(operand(value), style, context));
      } catch (error) {
        if (!(error instanceof NotJsonError)) throw error;
        if (onError === 'fail') throw new FunctionError(error.message);
        return stringValue('');
      }
    },
  };
}

function parse(source: string, context: CallContext): Value | undefined {
  context.spend(source.length);
  try {
    return fromJson(JSON.parse(source));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Go describes errors in more detail. Its message is used for the most common one, a text that ends too
 * early.
 */
function jsonProblem(source: string): string {
  const endsEarly = source.trim() === '' || isCutOff(source);
  return endsEarly ? 'unexpected end of JSON input' : 'invalid JSON';
}

/** Returns true if the text is the start of a list or an object that is never closed. */
function isCutOff(source: string): boolean {
  const outside = source.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  const opened = outside.match(/[[{]/g)?.length ?? 0;
  const closed = outside.match(/[\]}]/g)?.length ?? 0;
  return opened > closed && /[[{:,"0-9a-z\s]$/.test(outside);
}
