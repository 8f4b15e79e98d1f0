/** An expected failure with a message for the operator: the problem and the fix. */
export class ActionError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ActionError';
  }
}

/** The variables of an action are wrong. Nothing was done yet. */
export class SettingsError extends ActionError {}
