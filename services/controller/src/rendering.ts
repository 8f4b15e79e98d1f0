/** What the Template of a workflow renders to, with the Hardware as it is now. */
import type { Clock } from '@tinkerbell/platform-contract';
import type { Hardware, Workflow } from '@tinkerbell/resources';
import type { View } from '@tinkerbell/store-contract';
import type { WorkflowDefinition } from '@tinkerbell/template';
import type { Rendered, Renderer } from './renderer.ts';

/** When a template that was stopped at a limit is tried again although nothing has changed: not so often that it starves others. */
const STOPPED_AGAIN_MS = 600_000;

interface Failure {
  readonly of: string;
  readonly message: string;
  readonly untilMs: number;
}

/**
 * A rendering that failed fails again as long as nothing it depends on changes, so that it is remembered and not repeated
 * with every look at the workflow.
 */
export class Rendering {
  readonly #view: View;
  readonly #renderer: Renderer;
  readonly #clock: Clock;
  readonly #failures = new Map<string, Failure>();

  constructor(view: View, renderer: Renderer, clock: Clock) {
    this.#clock = clock;
    this.#view = view;
    this.#renderer = renderer;
  }

  async workflow(workflow: Workflow): Promise<Rendered<WorkflowDefinition>> {
    const { namespace, name } = workflow.metadata;
    const { templateRef = '', hardwareRef = '', hardwareMap = {} } = workflow.spec ?? {};
    const template = this.#view.templateNamed(namespace, templateRef);
    if (template === undefined)
      return { ok: false, message: `template not found: ${namespace}/${templateRef}` };
    const hardware = hardwareRef === '' ? undefined : this.#view.hardwareNamed(namespace, hardwareRef);
    if (hardwareRef !== '' && hardware === undefined)
      return { ok: false, message: `hardware not found: ${namespace}/${hardwareRef}` };
    const text = template.spec?.data ?? '';
    const of = JSON.stringify([text, hardware?.metadata.resourceVersion, hardwareRef, hardwareMap]);
    return this.#unlessKnown(`${namespace}/${name}`, of, () =>
      this.#renderer.workflow({ templateName: name, text, hardware, hardwareMap }),
    );
  }

  async #unlessKnown(
    path: string,
    of: string,
    render: () => Promise<Rendered<WorkflowDefinition>>,
  ): Promise<Rendered<WorkflowDefinition>> {
    const known = this.#failures.get(path);
    if (known?.of === of && known.untilMs > this.#clock.nowMs()) return { ok: false, message: known.message };
    const rendered = await render();
    if (rendered.ok) {
      this.#failures.delete(path);
      return rendered;
    }
    const message = `error rendering template: ${rendered.message}`;
    const untilMs = rendered.isStopped === true ? this.#clock.nowMs() + STOPPED_AGAIN_MS : Infinity;
    this.#failures.set(path, { of, message, untilMs });
    return { ok: false, message };
  }

  /** The same texts with `.Hardware` in them. */
  texts(
    workflow: Workflow,
    hardware: Hardware,
    texts: readonly string[],
  ): Promise<Rendered<readonly string[]>> {
    return this.#renderer.texts({ templateName: workflow.metadata.name, texts, hardware });
  }

  forget(path: string): void {
    this.#failures.delete(path);
  }
}
