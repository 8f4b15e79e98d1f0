/**
 * The step that failed: parsing the template, executing it, reading its output as YAML, or checking the
 * workflow.
 */
export type RenderStep = 'parse' | 'execute' | 'yaml' | 'validate';

export interface RenderError {
  readonly step: RenderStep;
  /** The message without the place. */
  readonly message: string;
  /** The whole message, as upstream reports it. */
  readonly text: string;
  /** The text that line and column refer to. */
  readonly where: 'template' | 'rendered';
  /** Both count from 1. */
  readonly line: number;
  readonly column: number;
  /**
   * The lines around the place, with their numbers. Rendered lines can contain user data, so show them only
   * to the user who requested the rendering, and not in an object's status.
   */
  readonly excerpt: string;
  /** The field in the rendered YAML, such as `tasks[0].actions[1].image`. Only for `yaml` and `validate`. */
  readonly path?: string;
  /** The expression that failed. Only for `execute`. */
  readonly expression?: string;
}
