import type { ObjectTexts, ObjectVerdict, Problem } from '@tinkerbell/resources';
import type { ForeignImage, RenderError } from '@tinkerbell/template';
import type { YamlLimits } from '@tinkerbell/yaml';

/** The text was not read: it takes too much time or memory, or too many texts are already waiting. */
export interface UnreadText {
  readonly ok: false;
  readonly reason: 'too-long' | 'busy';
  readonly message: string;
}

export type YamlRead =
  /** The single document of the text, as JSON. */
  | { readonly ok: true; readonly json: string }
  | { readonly ok: false; readonly reason: 'invalid'; readonly message: string }
  | UnreadText;

export type TemplateRead =
  /** The result includes the images that the built-in agent cannot run. */
  | { readonly ok: true; readonly foreignImages?: readonly ForeignImage[] }
  | { readonly ok: false; readonly reason: 'invalid'; readonly error: RenderError }
  | UnreadText;

export type ObjectRead = ObjectVerdict | UnreadText;

export type DefinitionRead = { readonly ok: true; readonly problems: readonly Problem[] } | UnreadText;

/**
 * Reads untrusted texts off the event loop. YAML takes 10 to 20 microseconds for each value, a hundred times as long as JSON. A
 * template takes 2 microseconds for each action. A pattern or a rule of a custom resource takes up to 20 ms and cannot pause.
 */
export interface TextReader {
  yaml(text: string, limits: YamlLimits): Promise<YamlRead>;
  /** Checks whether a template can be parsed. */
  template(text: string): Promise<TemplateRead>;
  /** Checks a custom resource. */
  object(texts: ObjectTexts): Promise<ObjectRead>;
  /** Checks the schemas of a CustomResourceDefinition, given as JSON. */
  definition(text: string): Promise<DefinitionRead>;
  close(): Promise<void>;
}
