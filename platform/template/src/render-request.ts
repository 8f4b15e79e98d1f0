/** The requests to the rendering thread, and its replies. */
import type { Rendered, TextsInput } from '@tinkerbell/engine-rendering';
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
  | { readonly kind: 'texts'; readonly input: TextsInput };

export type RenderAnswer = Rendered<WorkflowDefinition | readonly string[]>;

export function answerTo(request: RenderRequest, platform?: TemplatePlatform): RenderAnswer {
  return request.kind === 'workflow'
    ? workflowOf({ ...request.input, platform })
    : textsOf(request.input, platform);
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
