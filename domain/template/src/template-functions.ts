import { functionMap, type FunctionMap } from '@tinkerbell/go-template';
import { DEFAULT_FUNCTIONS } from './functions-defaults.ts';
import { DICT_FUNCTIONS } from './functions-dicts.ts';
import { ENCODING_FUNCTIONS } from './functions-encoding.ts';
import { JSON_FUNCTIONS } from './functions-json.ts';
import { LIST_FUNCTIONS } from './functions-lists.ts';
import { NUMBER_FUNCTIONS } from './functions-numbers.ts';
import { STRING_FUNCTIONS } from './functions-strings.ts';
import { TINKERBELL_FUNCTIONS } from './functions-tinkerbell.ts';
import { YAML_FUNCTIONS } from './functions-yaml.ts';

/** The functions of a Tinkerbell template besides Go's built-ins (upstream: funcmap.New). */
export const TEMPLATE_FUNCTIONS: FunctionMap = functionMap({
  ...DEFAULT_FUNCTIONS,
  ...STRING_FUNCTIONS,
  ...LIST_FUNCTIONS,
  ...DICT_FUNCTIONS,
  ...NUMBER_FUNCTIONS,
  ...ENCODING_FUNCTIONS,
  ...JSON_FUNCTIONS,
  ...YAML_FUNCTIONS,
  ...TINKERBELL_FUNCTIONS,
});
