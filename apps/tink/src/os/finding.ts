export interface Finding {
  /** Name of the Hardware or the Template. */
  readonly machine: string;
  readonly item:
    | 'placeholder'
    | 'template'
    | 'image'
    | 'checksum'
    | 'disk'
    | 'memory'
    | 'firmware'
    | 'user-data';
  /** `missing`: the installation fails or is unsafe to start. `warning`: it may go wrong. */
  readonly level: 'missing' | 'warning' | 'ok';
  readonly message: string;
}
