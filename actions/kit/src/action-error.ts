/** An expected failure with a message for the operator: the problem and the fix. */
export class ActionError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ActionError';
  }
}
