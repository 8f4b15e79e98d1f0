export { type JsonLimits } from './json-reader.ts';
export { parseYaml, YAML_TEXT_LIMIT, type ParsedYaml, type YamlError } from './parse-yaml.ts';
export type { YamlLimits } from './yaml-limits.ts';
export {
  nodeAt,
  positionOf,
  toJson,
  type Json,
  type Path,
  type Position,
  type YamlList,
  type YamlMap,
  type YamlMapEntry,
  type YamlNode,
  type YamlScalar,
} from './node.ts';
export { stringifyYaml } from './stringify-yaml.ts';
export { yamlToJson } from './yaml-to-json.ts';
