import type { RenderError, RenderInput, WorkflowDefinition } from '@tinkerbell/template';

/** Texts on which `.hardware` and `.Hardware` are to be put: media URLs of BMC actions. */
export interface TextsInput {
  readonly templateName: string;
  readonly texts: readonly string[];
  readonly hardware: object;
}

export type Rendered<Value> =
  | { readonly ok: true; readonly value: Value }
  /** In upstream's words where it has any. */
  | {
      readonly ok: false;
      readonly message: string;
      /** Where and what, when it is the template's fault. */
      readonly error?: RenderError;
      /** It was stopped at a limit; a machine with less to do might have rendered it. */
      readonly isStopped?: boolean;
    };

/** Renders templates, which may be hostile, with limits on time and memory. Rejects only when it cannot work at all. */
export interface TemplateRenderer {
  workflow(input: RenderInput): Promise<Rendered<WorkflowDefinition>>;
  texts(input: TextsInput): Promise<Rendered<readonly string[]>>;
  /** As `workflow`, for whoever only wants to know: after all others; `busy` when too many wait already. */
  check(input: RenderInput): Promise<Rendered<WorkflowDefinition> | 'busy'>;
  close(): Promise<void>;
}
