/** The additions of a variant to the plain system. */
export interface SystemAddition {
  readonly packages: readonly string[];
  /** Files of Debian packages that no archive has. */
  readonly packageFiles?: readonly string[];
  /** Contents by path, which replace those of the plain system. */
  readonly files: Readonly<Record<string, string>>;
  /** Shell commands that run in the new system at the end. */
  readonly commands: readonly string[];
}
