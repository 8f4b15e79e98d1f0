import {
  type CallContext,
  floatText,
  FunctionError,
  type FunctionSpec,
  INTERFACE,
  LimitExceeded,
  NIL,
  STRING,
  stringValue,
  unwrapInterface,
  VALUE_DEPTH_MAX,
  VALUE_NODE_SIZE,
  type Value,
} from '@tinkerbell/go-template';
import { parseYaml } from '@tinkerbell/yaml';
import { jsonFields } from '../go/json.ts';
import { operand, text } from './operands.ts';
import { yamlNodeValue } from '../yaml/resolve.ts';
import { writeYaml, type YamlValue } from '../yaml/writer.ts';

const NULL: YamlValue = { kind: 'verbatim', text: 'null' };

/** Tinkerbell's toYaml and fromYaml. Values pass through JSON, as in sigs.k8s.io/yaml. */
export const YAML_FUNCTIONS: Readonly<Record<string, FunctionSpec>> = {
  toYaml: {
    params: [INTERFACE],
    result: STRING,
    call: ([value], context) => {
      const yaml = writeYaml(yamlValue(operand(value), context, 0)).replace(/\n$/, '');
      context.spend(yaml.length);
      return stringValue(yaml);
    },
  },
  fromYaml: {
    params: [STRING],
    call: ([source], context) => {
      if (text(source) === '') throw new FunctionError('fromYaml: empty YAML input');
      context.spend(text(source).length);
      const parsed = parseYaml(text(source));
      if (!parsed.ok) {
        const { message, position } = parsed.error;
        throw new FunctionError(
          `fromYaml: error converting YAML to JSON: yaml: line ${position.line}: ${message}`,
        );
      }
      const [first] = parsed.documents;
      return first === undefined ? NIL : yamlNodeValue(first);
    },
  },
};

function yamlValue(held: Value, context: CallContext, depth: number): YamlValue {
  if (depth > VALUE_DEPTH_MAX) throw new LimitExceeded(`value nested deeper than ${VALUE_DEPTH_MAX} levels`);
  context.spend(VALUE_NODE_SIZE);
  const value = unwrapInterface(held);
  switch (value.kind) {
    case 'slice':
      if (value.items === null) return NULL;
      return { kind: 'list', items: value.items.map((item) => yamlValue(item, context, depth + 1)) };
    case 'map':
      return value.entries === null ? NULL : yamlMap([...value.entries], context, depth);
    case 'struct':
      if (value.type.jsonText !== undefined) return { kind: 'string', text: value.type.jsonText(value) };
      return yamlMap(jsonFields(value), context, depth);
    case 'pointer':
      return value.target === null ? NULL : yamlValue(value.target, context, depth + 1);
    case 'func':
      throw new FunctionError('toYaml: error marshaling into JSON: json: unsupported type: func');
    default:
      return yamlScalar(value);
  }
}

function yamlMap(
  members: readonly (readonly [string, Value])[],
  context: CallContext,
  depth: number,
): YamlValue {
  return {
    kind: 'map',
    entries: members.map(([name, member]) => [name, yamlValue(member, context, depth + 1)]),
  };
}

function yamlScalar(value: Value): YamlValue {
  switch (value.kind) {
    case 'string':
      return { kind: 'string', text: value.value.toWellFormed() };
    case 'integer':
    case 'bool':
      return { kind: 'verbatim', text: String(value.value) };
    case 'float64':
      return { kind: 'verbatim', text: floatYaml(value.value) };
    default:
      return NULL;
  }
}

/** A whole number that fits 64 bits becomes an integer when it passes through JSON. */
function floatYaml(value: number): string {
  if (!Number.isFinite(value)) {
    throw new FunctionError(
      `toYaml: error marshaling into JSON: json: unsupported value: ${floatText(value, 'g', -1)}`,
    );
  }
  const fits = Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 64;
  return fits ? BigInt(value).toString() : floatText(value, 'g', -1);
}
