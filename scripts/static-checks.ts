import { runStep } from './run-step.ts';

/** Types, lint, format, dead code, generated files. Runs all, so that one failure does not hide another. */
export function staticChecks(): boolean {
  const results = [
    runStep('types of pure code', 'tsc', ['-p', 'tsconfig.pure.json']),
    runStep('types', 'tsc', ['-p', 'tsconfig.json']),
    runStep('types of the web console', 'tsc', ['-p', 'apps/console/tsconfig.json']),
    runStep('lint', 'oxlint', ['--quiet']),
    runStep('format', 'oxfmt', ['--check']),
    runStep('dead code', 'knip', ['--no-config-hints']),
    runStep('generated files', 'node', ['scripts/generate.ts', '--check']),
  ];
  return results.every(Boolean);
}
