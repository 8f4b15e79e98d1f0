/**
 * All limits on parsing and executing a template. Templates come from users, and rendering runs in the
 * process that answers DHCP. So any text must end soon and in bounded memory.
 */
export interface ParseLimits {
  /** The characters of template source. */
  readonly sourceLength: number;
  /**
   * The nesting of parentheses and of if, range and with blocks. It keeps the parser from exhausting the
   * stack.
   */
  readonly parseDepth: number;
}

export interface ExecuteLimits {
  /** The nodes visited, values printed and functions called. */
  readonly steps: number;
  /** The bytes written. */
  readonly outputBytes: number;
  /** The characters and elements of all values that functions create. It bounds intermediate values. */
  readonly valueSize: number;
  /** The nesting of `template` calls. Go allows 100,000, which needs a growing stack. */
  readonly templateDepth: number;
  /** The nesting of everything: blocks, parentheses and templates together. */
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

/** The nesting of values that printing, comparing and converting follow. */
export const VALUE_DEPTH_MAX = 200;

/** The cost per node of a function that walks a value, in valueSize: about the memory of a node. */
export const VALUE_NODE_SIZE = 64;
