import type { HttpContext } from './http.ts';
import type { ClientCertificate } from './access.ts';
import type { User } from '@tinkerbell/access';

export interface ContextChanges {
  readonly user?: User;
  /** The signal aborts with this one too. */
  readonly until?: AbortSignal;
}

/** Returns the context with changes. Signals are created when they are read, because few handlers need the expensive objects. */
export function derivedContext(context: HttpContext, changes: ContextChanges): HttpContext {
  return new DerivedContext(context, changes);
}

class DerivedContext implements HttpContext {
  readonly peer: HttpContext['peer'];
  readonly user?: User;
  readonly #context: HttpContext;
  readonly #until: AbortSignal | undefined;
  #signal: AbortSignal | undefined;

  constructor(context: HttpContext, { user = context.user, until }: ContextChanges) {
    this.peer = context.peer;
    if (user !== undefined) this.user = user;
    this.#context = context;
    this.#until = until;
  }

  get localAddress(): string {
    return this.#context.localAddress;
  }

  get clientCertificate(): ClientCertificate | undefined {
    return this.#context.clientCertificate;
  }

  get signal(): AbortSignal {
    this.#signal ??=
      this.#until === undefined ? this.#context.signal : AbortSignal.any([this.#context.signal, this.#until]);
    return this.#signal;
  }
}
