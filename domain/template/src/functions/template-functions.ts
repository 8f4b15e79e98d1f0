import { functionMap, type FunctionMap } from '@tinkerbell/go-template';
import { certificateFunctions } from './certificates.ts';
import { cryptoFunctions } from './crypto.ts';
import { dateFunctions } from './dates.ts';
import { DEFAULT_FUNCTIONS } from './defaults.ts';
import { DICT_FUNCTIONS } from './dicts.ts';
import { ENCODING_FUNCTIONS } from './encoding.ts';
import { FLOAT_FUNCTIONS } from './floats.ts';
import { JSON_FUNCTIONS } from './json.ts';
import { LIST_FUNCTIONS } from './lists.ts';
import { NUMBER_FUNCTIONS } from './numbers.ts';
import { PATH_FUNCTIONS } from './paths.ts';
import { REFLECTION_FUNCTIONS } from './reflection.ts';
import { REGEX_FUNCTIONS } from './regex.ts';
import { SEMVER_FUNCTIONS } from './semver.ts';
import { STRING_FUNCTIONS } from './strings.ts';
import { TINKERBELL_FUNCTIONS } from './tinkerbell.ts';
import { URL_FUNCTIONS } from './urls.ts';
import { WORD_FUNCTIONS } from './words.ts';
import { YAML_FUNCTIONS } from './yaml.ts';
import type { TemplatePlatform } from '../template-platform.ts';

/**
 * Returns the functions of a Tinkerbell template besides Go's built-ins (upstream: funcmap.New, which has
 * sprig's hermetic functions and Tinkerbell's own). Without a platform, those that need one fail when called.
 */
export function templateFunctions(platform?: TemplatePlatform): FunctionMap {
  return functionMap({
    ...DEFAULT_FUNCTIONS,
    ...STRING_FUNCTIONS,
    ...WORD_FUNCTIONS,
    ...REGEX_FUNCTIONS,
    ...LIST_FUNCTIONS,
    ...DICT_FUNCTIONS,
    ...NUMBER_FUNCTIONS,
    ...FLOAT_FUNCTIONS,
    ...ENCODING_FUNCTIONS,
    ...JSON_FUNCTIONS,
    ...YAML_FUNCTIONS,
    ...REFLECTION_FUNCTIONS,
    ...PATH_FUNCTIONS,
    ...URL_FUNCTIONS,
    ...SEMVER_FUNCTIONS,
    ...TINKERBELL_FUNCTIONS,
    ...dateFunctions(platform),
    ...cryptoFunctions(platform),
    ...certificateFunctions(platform),
  });
}

/** The functions for callers without a platform. */
export const TEMPLATE_FUNCTIONS: FunctionMap = templateFunctions();
