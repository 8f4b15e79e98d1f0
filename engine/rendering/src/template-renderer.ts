import type { RenderError, RenderInput, WorkflowDefinition } from '@tinkerbell/template';

/** Texts that are rendered with `.hardware` and `.Hardware`: media URLs of BMC actions. */
export interface TextsInput {
  readonly templateName: string;
  readonly texts: readonly string[];
  readonly hardware: object;
}

export type Rendered<Value> =
  | { readonly ok: true; readonly value: Value }
  /** The message. It uses upstream's text where upstream has one. */
  | {
      readonly ok: false;
      readonly message: string;
      /** The position and the cause, when the template is at fault. */
      readonly error?: RenderError;
      /** The rendered text of a preview, if the error is in it. */
      readonly text?: string;
      /** The rendering was stopped at a limit. A machine with less load might have rendered it. */
      readonly isStopped?: boolean;
      /** The rendering was not tried, because too many of the owner's renderings are queued. It may be tried later. */
      readonly isBusy?: boolean;
    };

/** A workflow, and the text that it was read from. */
export interface Preview {
  readonly text: string;
  readonly workflow: WorkflowDefinition;
}

/** The owner of a rendering. Time is shared fairly between namespaces, and within one between authors. */
export interface RenderOwner {
  readonly namespace: string;
  /** The user when known, otherwise the name of the Template. */
  readonly author: string;
}

/** Renders templates, which may be hostile, with limits on time and memory. Rejects only when it cannot work at all. */
export interface TemplateRenderer {
  workflow(input: RenderInput, owner?: RenderOwner): Promise<Rendered<WorkflowDefinition>>;
  texts(input: TextsInput, owner?: RenderOwner): Promise<Rendered<readonly string[]>>;
  /** Works as `workflow`, but for previews, which run after the other renderings of the namespace. */
  check(input: RenderInput, owner?: RenderOwner): Promise<Rendered<WorkflowDefinition>>;
  /** Works as `check`, and returns the rendered text too. */
  preview(input: RenderInput, owner?: RenderOwner): Promise<Rendered<Preview>>;
  close(): Promise<void>;
}
