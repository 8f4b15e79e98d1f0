/** Which step failed: parsing the template, executing it, reading its output as YAML, or checking the workflow. */
export type RenderStep = 'parse' | 'execute' | 'yaml' | 'validate';

export interface RenderError {
  readonly step: RenderStep;
  /** What is wrong, without the place. */
  readonly message: string;
  /** The whole text, as upstream reports it. */
  readonly text: string;
  /** The text that line and column refer to. */
  readonly where: 'template' | 'rendered';
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
  /**
   * The lines around the place, with their numbers. Rendered lines can hold user data: for the one who asked for the
   * rendering, not for an object's status.
   */
  readonly excerpt: string;
  /** The field in the rendered YAML, such as `tasks[0].actions[1].image`; only for `yaml` and `validate`. */
  readonly path?: string;
  /** The expression that failed; only for `execute`. */
  readonly expression?: string;
}
