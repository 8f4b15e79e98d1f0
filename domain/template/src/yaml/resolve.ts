import {
  boolValue,
  floatValue,
  mapValue,
  listValue,
  NIL,
  parseGoInteger,
  stringValue,
  type Value,
} from '@tinkerbell/go-template';
import type { YamlNode, YamlScalar } from '@tinkerbell/yaml';

/**
 * Reads YAML into values as sigs.k8s.io/yaml does: YAML 1.1 plain scalars (`yes` is true, `0644` is octal), then JSON,
 * so that every number is a float64 and every key a string.
 */

const TRUE = /^(?:y|Y|yes|Yes|YES|on|On|ON|true|True|TRUE)$/;
const FALSE = /^(?:n|N|no|No|NO|off|Off|OFF|false|False|FALSE)$/;
const NULL = /^(?:~|null|Null|NULL|)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

export function yamlNodeValue(node: YamlNode): Value {
  switch (node.kind) {
    case 'list':
      return listValue(node.items.map(yamlNodeValue));
    case 'map':
      return mapValue(
        [...node.entries.values()].map((entry) => [keyText(entry.key), yamlNodeValue(entry.value)] as const),
      );
    default:
      return scalarValue(node);
  }
}

function scalarValue(node: YamlScalar): Value {
  if (node.quoted) return stringValue(node.text);
  // A plain scalar over several lines has already been folded, and is always a string.
  if (node.text.includes('\n')) return stringValue(String(node.value));
  return plainValue(node.text);
}

function plainValue(text: string): Value {
  if (NULL.test(text)) return NIL;
  if (TRUE.test(text)) return boolValue(true);
  if (FALSE.test(text)) return boolValue(false);
  const digits = text.replaceAll('_', '');
  const magnitude = /^[-+]?[0-9]/.test(digits) ? parseGoInteger(digits.replace(/^[-+]/, '')) : undefined;
  if (magnitude !== undefined) return floatValue(Number(digits.startsWith('-') ? -magnitude : magnitude));
  return FLOAT.test(digits) && Number.isFinite(Number(digits))
    ? floatValue(Number(digits))
    : stringValue(text);
}

/** JSON keys are strings, so other scalars become their text. Whether a key was quoted is no longer known. */
function keyText(key: string): string {
  const value = plainValue(key);
  switch (value.kind) {
    case 'bool':
    case 'float64':
      return String(value.value);
    case 'nil':
      return key === '' ? '' : 'null';
    default:
      return key;
  }
}
