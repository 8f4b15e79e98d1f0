export { MatchSteps, MatchTooLong } from './match-steps.ts';
export { matches } from './matches.ts';
export { parsePattern, PATTERN_TEXT_MAX, type ParsedPattern, type Pattern } from './parse-pattern.ts';
export type { PatternError } from './pattern-error.ts';
