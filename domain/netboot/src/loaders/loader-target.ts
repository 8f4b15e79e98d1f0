/** The target that a boot loader other than iPXE boots. Paths are relative to the TFTP root, or URLs. */
export interface LoaderTarget {
  readonly kernel: string;
  readonly initrd: string;
  /** Words of the kernel's command line. Each is safe as text of a configuration. */
  readonly commandLine: readonly string[];
}
