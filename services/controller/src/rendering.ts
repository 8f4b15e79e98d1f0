/** Renders the Template of a workflow with its current Hardware. */
import type { Clock } from '@tinkerbell/platform-contract';
import type { Rendered, RenderOwner, TemplateRenderer } from '@tinkerbell/engine-rendering';
import type { Hardware, Workflow } from '@tinkerbell/resources';
import type { View } from '@tinkerbell/store-contract';
import { renderInputOf } from '@tinkerbell/engine-rendering';
import type { ReferenceRules, WorkflowDefinition } from '@tinkerbell/template';
import type { Place } from '@tinkerbell/engine-work-queue';

/** When a template that exceeded a limit is rendered again without a change: rarely, so that it does not starve others. */
const STOPPED_AGAIN_MS = 600_000;

export interface RenderingDeps {
  readonly view: View;
  readonly renderer: TemplateRenderer;
  readonly clock: Clock;
  /** Rules for the objects that Hardware may reference in templates. */
  readonly referenceRules: ReferenceRules;
}

interface Failure {
  readonly of: string;
  readonly message: string;
  readonly untilMs: number;
}

/** Dependencies of one reconciliation. */
export type Renders = Pick<Rendering, 'workflow' | 'texts'>;

/**
 * A failed rendering fails again until one of its dependencies changes. It is remembered, so that it is not repeated at every
 * reconciliation.
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
      this.#renderer.workflow(found.input, ownerOf(workflow)),
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
    // Not an error of the template: the work queue retries.
    if (!rendered.ok && rendered.isBusy === true) throw new Error(rendered.message);
    if (rendered.ok) {
      this.#failures.delete(path);
      return rendered;
    }
    const message = `error rendering template: ${rendered.message}`;
    const untilMs = rendered.isStopped === true ? this.#clock.nowMs() + STOPPED_AGAIN_MS : Infinity;
    this.#failures.set(path, { of, message, untilMs });
    return { ok: false, message };
  }

  /** Returns the same texts rendered with `.Hardware`. */
  texts(
    workflow: Workflow,
    hardware: Hardware,
    texts: readonly string[],
  ): Promise<Rendered<readonly string[]>> {
    const input = { templateName: workflow.metadata.name, texts, hardware };
    return this.#renderer.texts(input, ownerOf(workflow));
  }

  /** Renders in the background of a reconciliation, so that a slow template delays no other workflow. */
  at(place: Place): Renders {
    return {
      workflow: (workflow) => place.aside(() => this.workflow(workflow)),
      texts: (workflow, hardware, texts) => place.aside(() => this.texts(workflow, hardware, texts)),
    };
  }

  forget(path: string): void {
    this.#failures.delete(path);
  }
}

/** The author is unknown here, so templates of one name count as one author. */
function ownerOf({ metadata, spec }: Workflow): RenderOwner {
  return { namespace: metadata.namespace, author: `template ${spec?.templateRef ?? ''}` };
}
