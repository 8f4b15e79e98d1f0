/** What the Template of a workflow renders to, with the Hardware as it is now. */
import type { Clock } from '@tinkerbell/platform-contract';
import type { Rendered, RenderOwner, TemplateRenderer } from '@tinkerbell/engine-rendering';
import type { Hardware, Workflow } from '@tinkerbell/resources';
import type { View } from '@tinkerbell/store-contract';
import { renderInputOf } from '@tinkerbell/engine-rendering';
import type { ReferenceRules, WorkflowDefinition } from '@tinkerbell/template';
import type { Place } from './work-queue.ts';

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

/** What the work on one workflow needs of it. */
export type Renders = Pick<Rendering, 'workflow' | 'texts'>;

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
    // Not the template's fault: the work queue tries again.
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

  /** The same texts with `.Hardware` in them. */
  texts(
    workflow: Workflow,
    hardware: Hardware,
    texts: readonly string[],
  ): Promise<Rendered<readonly string[]>> {
    const input = { templateName: workflow.metadata.name, texts, hardware };
    return this.#renderer.texts(input, ownerOf(workflow));
  }

  /** For the work on one workflow, which waits aside: a slow template delays no other workflow. */
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

/** The users who wrote them are not known: templates of one name are of one author. */
function ownerOf({ metadata, spec }: Workflow): RenderOwner {
  return { namespace: metadata.namespace, author: `template ${spec?.templateRef ?? ''}` };
}
