/** What a variant has beyond the plain system. */
export interface SystemAddition {
  readonly packages: readonly string[];
  /** Contents by path, written over those of the plain system. */
  readonly files: Readonly<Record<string, string>>;
  /** Shell commands of the new system, run in it at the end. */
  readonly commands: readonly string[];
}
