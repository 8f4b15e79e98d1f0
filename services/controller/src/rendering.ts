/** What the Template of a workflow renders to, with the Hardware as it is now. */
import type { Clock, Rendered, TemplateRenderer } from '@tinkerbell/platform-contract';
import type { Hardware, Workflow } from '@tinkerbell/resources';
import { renderInputOf, type View } from '@tinkerbell/store-contract';
import type { ReferenceRules, WorkflowDefinition } from '@tinkerbell/template';

/** When a template that was stopped at a limit is tried again although nothing has changed: not so often that it starves others. */
const STOPPED_AGAIN_MS = 600_000;

export interface RenderingDeps {
  readonly view: View;
  readonly renderer: TemplateRenderer;
  readonly clock: Clock;
  /** Which objects that a Hardware names its templates may see. */
  readonly referenceRules: ReferenceRules;
}

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
  readonly #renderer: TemplateRenderer;
  readonly #clock: Clock;
  readonly #rules: ReferenceRules;
  readonly #failures = new Map<string, Failure>();

  constructor({ view, renderer, clock, referenceRules }: RenderingDeps) {
    this.#clock = clock;
    this.#view = view;
    this.#renderer = renderer;
    this.#rules = referenceRules;
  }

  async workflow(workflow: Workflow): Promise<Rendered<WorkflowDefinition>> {
    const { namespace, name } = workflow.metadata;
    const found = renderInputOf(this.#view, this.#rules, workflow);
    if (!found.ok) return found;
    return this.#unlessKnown(`${namespace}/${name}`, found.version, () =>
      this.#renderer.workflow(found.input),
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
