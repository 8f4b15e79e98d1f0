/** An expected failure, worded for the operator: what is wrong and the way out. */
export class ActionError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ActionError';
  }
}
