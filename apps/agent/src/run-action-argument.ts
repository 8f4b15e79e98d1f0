/** First argument of the process that runs one action. */
export const RUN_ACTION_ARGUMENT = 'run-action';

/** Node's flags for that process. An action keeps little of what it makes, so a small young generation saves 15 to 20 MB. */
export const ACTION_FLAGS = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=2'] as const;
