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
      /** It was not tried, since too many of the owner wait already; it may be later. */
      readonly isBusy?: boolean;
    };

/** Who waits for a rendering: time is shared fairly between namespaces, and in one between authors. */
export interface RenderOwner {
  readonly namespace: string;
  /** The user when known, else the name of the Template. */
  readonly author: string;
}

/** Renders templates, which may be hostile, with limits on time and memory. Rejects only when it cannot work at all. */
export interface TemplateRenderer {
  workflow(input: RenderInput, owner?: RenderOwner): Promise<Rendered<WorkflowDefinition>>;
  texts(input: TextsInput, owner?: RenderOwner): Promise<Rendered<readonly string[]>>;
  /** As `workflow`, for whoever only wants to know: after the other renderings of the namespace. */
  check(input: RenderInput, owner?: RenderOwner): Promise<Rendered<WorkflowDefinition>>;
  close(): Promise<void>;
}
