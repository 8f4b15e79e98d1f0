/** The requests to the rendering thread, and its replies. */
import type { Preview, Rendered, TextsInput } from '@tinkerbell/engine-rendering';
import {
  renderTemplate,
  renderText,
  templateData,
  type RenderInput,
  type TemplatePlatform,
  type WorkflowDefinition,
} from '@tinkerbell/template';

export type RenderRequest =
  | { readonly kind: 'workflow'; readonly input: RenderInput }
  | { readonly kind: 'preview'; readonly input: RenderInput }
  | { readonly kind: 'texts'; readonly input: TextsInput };

export type RenderAnswer = Rendered<WorkflowDefinition | Preview | readonly string[]>;

export function answerTo(request: RenderRequest, platform?: TemplatePlatform): RenderAnswer {
  switch (request.kind) {
    case 'workflow':
      return workflowOf({ ...request.input, platform });
    case 'preview':
      return previewOf({ ...request.input, platform });
    case 'texts':
      return textsOf(request.input, platform);
  }
}

function previewOf(input: RenderInput): RenderAnswer {
  const rendered = renderTemplate(input);
  const { text } = rendered;
  if (rendered.ok) return { ok: true, value: { text: rendered.text, workflow: rendered.workflow } };
  const { error } = rendered;
  return { ok: false, message: error.text, error, ...(text === undefined ? {} : { text }) };
}

function workflowOf(input: RenderInput): RenderAnswer {
  const rendered = renderTemplate(input);
  if (rendered.ok) return { ok: true, value: rendered.workflow };
  return { ok: false, message: rendered.error.text, error: rendered.error };
}

function textsOf(
  { templateName, texts, hardware }: TextsInput,
  platform: TemplatePlatform | undefined,
): RenderAnswer {
  const data = templateData(hardware, {});
  const value: string[] = [];
  for (const text of texts) {
    const rendered = renderText({ templateName, text }, data, { platform });
    if (!rendered.ok) return { ok: false, message: rendered.error.text };
    value.push(rendered.text);
  }
  return { ok: true, value };
}
