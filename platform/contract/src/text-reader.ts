import type { ForeignImage, RenderError } from '@tinkerbell/template';
import type { YamlLimits } from '@tinkerbell/yaml';

/** What was not read at all: it takes too long or too much memory, or too much waits already. */
export interface UnreadText {
  readonly ok: false;
  readonly reason: 'too-long' | 'busy';
  readonly message: string;
}

export type YamlRead =
  /** The one document of the text, as JSON. */
  | { readonly ok: true; readonly json: string }
  | { readonly ok: false; readonly reason: 'invalid'; readonly message: string }
  | UnreadText;

export type TemplateRead =
  /** With the images that our agent cannot run. */
  | { readonly ok: true; readonly foreignImages?: readonly ForeignImage[] }
  | { readonly ok: false; readonly reason: 'invalid'; readonly error: RenderError }
  | UnreadText;

/**
 * Reads texts of strangers off the event loop: YAML takes 10 to 20 microseconds for each value, a hundred times as long as JSON, and
 * a template 2 microseconds for each action.
 */
export interface TextReader {
  yaml(text: string, limits: YamlLimits): Promise<YamlRead>;
  /** Whether a template can be parsed. */
  template(text: string): Promise<TemplateRead>;
  close(): Promise<void>;
}
