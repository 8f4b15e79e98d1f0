/**
 * Every limit on parsing and executing a template. Templates come from users, and rendering runs in the process
 * that answers DHCP: whatever the text, it must end soon and in bounded memory.
 */
export interface ParseLimits {
  /** Characters of template source. */
  readonly sourceLength: number;
  /** Nesting of parentheses and of if, range and with blocks; keeps the parser off the end of the stack. */
  readonly parseDepth: number;
}

export interface ExecuteLimits {
  /** Nodes walked, values printed and function calls. */
  readonly steps: number;
  /** Bytes written. */
  readonly outputBytes: number;
  /** Characters and elements of all values that functions make; keeps intermediate values bounded. */
  readonly valueSize: number;
  /** Nesting of `template` calls. Go allows 100,000, which needs a growing stack. */
  readonly templateDepth: number;
  /** Nesting of everything: blocks, parentheses and templates together. */
  readonly evaluationDepth: number;
  /** The largest integer `range` counts to. */
  readonly rangeCount: number;
}

export const DEFAULT_PARSE_LIMITS: ParseLimits = { sourceLength: 4 * 1024 * 1024, parseDepth: 300 };

export const DEFAULT_EXECUTE_LIMITS: ExecuteLimits = {
  steps: 1_000_000,
  outputBytes: 16 * 1024 * 1024,
  valueSize: 32 * 1024 * 1024,
  templateDepth: 200,
  evaluationDepth: 1000,
  rangeCount: 1_000_000,
};

/** Nesting of values that printing, comparing and converting will follow. */
export const VALUE_DEPTH_MAX = 200;

/** What a function that walks a value counts per node against valueSize: about the memory a node takes. */
export const VALUE_NODE_SIZE = 64;
