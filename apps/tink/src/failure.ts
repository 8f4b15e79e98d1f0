/** The exit codes of commands. Scripts may rely on these numbers. */
export const exitCode = { ok: 0, failed: 1, usage: 2 } as const;

/** An expected failure: a message for the user, and advice. */
export class TinkFailure extends Error {
  override readonly name: string = 'TinkFailure';
  /** The fix, in the imperative; printed on its own line. */
  readonly advice: string | undefined;
  readonly exitCode: number;

  constructor(message: string, options: { advice?: string | undefined; exitCode?: number } = {}) {
    super(message);
    this.advice = options.advice;
    this.exitCode = options.exitCode ?? exitCode.failed;
  }
}

/** The user stopped the command, or its time was up. */
export class InterruptedFailure extends TinkFailure {
  override readonly name = 'InterruptedFailure';

  constructor() {
    super('interrupted');
  }
}

/** An invalid command line. */
export function usageFailure(message: string, advice?: string): TinkFailure {
  return new TinkFailure(message, { advice, exitCode: exitCode.usage });
}
