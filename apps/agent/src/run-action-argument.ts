/** First argument of the process that runs one action. */
export const RUN_ACTION_ARGUMENT = 'run-action';
