/** Two files at a time, also on two cores: much of a test is waiting. */
export const testFlags = ['--test', '--test-concurrency=2', '--disable-warning=ExperimentalWarning'];

export const testPatterns = ['!(node_modules)/**/*.test.ts'];

/** Tests with the whole product: real programs, foreign clients, virtual machines. */
export const virtualMachinePatterns = ['!(node_modules)/**/*.e2e.ts'];
