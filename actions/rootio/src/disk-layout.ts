/**
 * The disks and file systems of the machine, as `/metadata` describes them. Absent lists may be null, as Go
 * writes them.
 */
import { ActionError } from '@tinkerbell/action-kit';

export interface DiskLayout {
  readonly disks: readonly LayoutDisk[];
  readonly fileSystems: readonly LayoutFileSystem[];
}

export interface LayoutDisk {
  readonly device: string;
  /** Zeros come before the new table. */
  readonly wipe: boolean;
  readonly partitions: readonly LayoutPartition[];
}

export interface LayoutPartition {
  /** `SWAP`, `BIOS` and `EFI` select the type. */
  readonly label: string;
  /** From 1, in ascending order. */
  readonly number: number;
  /** Sectors of 512 bytes. 0 is the rest of the disk. */
  readonly size: number;
}

export interface LayoutFileSystem {
  readonly device: string;
  readonly format: string;
  /** Where it is mounted. Empty for swap. */
  readonly point: string;
  readonly options: readonly string[];
}

/** No machine has more. They bound what one answer can cause. */
const LIST_MAX = 256;

/** @throws ActionError that names the field. */
export function readDiskLayout(text: string): DiskLayout {
  const storage = Fields.parse(text).object('metadata').object('instance').object('storage');
  return {
    disks: storage.list('disks').map((disk) => ({
      device: devicePath(disk),
      wipe: disk.flag('wipe_table'),
      partitions: disk.list('partitions').map((partition) => ({
        label: partition.text('label'),
        number: partition.whole('number'),
        size: partition.whole('size'),
      })),
    })),
    fileSystems: storage.list('filesystems').map((entry) => {
      const mount = entry.object('mount');
      return {
        device: devicePath(mount),
        format: mount.text('format'),
        point: mount.text('point'),
        options: mount.object('create').texts('options'),
      };
    }),
  };
}

function devicePath(fields: Fields): string {
  const device = fields.text('device');
  if (device.startsWith('/')) return device;
  return fields.fail('device', `"${device}" must be a path such as /dev/sda`);
}

/** Reads the fields of one JSON object. */
class Fields {
  readonly #value: Readonly<Record<string, unknown>>;
  readonly #path: string;

  constructor(value: unknown, path: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new ActionError(`metadata: ${path || 'the document'} must be an object`);
    this.#value = Object.fromEntries(Object.entries(value));
    this.#path = path;
  }

  static parse(text: string): Fields {
    try {
      return new Fields(JSON.parse(text), '');
    } catch (cause) {
      if (cause instanceof ActionError) throw cause;
      throw new ActionError(
        'metadata: the answer is not JSON; is this the address of the metadata service?',
        {
          cause,
        },
      );
    }
  }

  object(name: string): Fields {
    return new Fields(this.#value[name] ?? {}, this.#at(name));
  }

  list(name: string): readonly Fields[] {
    return this.#items(name).map((item, index) => new Fields(item, `${this.#at(name)}[${index}]`));
  }

  texts(name: string): readonly string[] {
    return this.#items(name).map((item) =>
      typeof item === 'string' ? item : this.fail(name, 'must be a list of texts'),
    );
  }

  text(name: string): string {
    const value = this.#value[name] ?? '';
    return typeof value === 'string' ? value : this.fail(name, 'must be a text');
  }

  flag(name: string): boolean {
    const value = this.#value[name] ?? false;
    return typeof value === 'boolean' ? value : this.fail(name, 'must be true or false');
  }

  whole(name: string): number {
    const value = this.#value[name] ?? 0;
    const isWhole = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
    return isWhole ? value : this.fail(name, 'must be a whole number from 0');
  }

  fail(name: string, reason: string): never {
    throw new ActionError(`metadata: ${this.#at(name)} ${reason}`);
  }

  #items(name: string): readonly unknown[] {
    const value = this.#value[name] ?? [];
    if (!Array.isArray(value)) return this.fail(name, 'must be a list');
    if (value.length > LIST_MAX)
      return this.fail(name, `has ${value.length} entries; at most ${LIST_MAX} are allowed`);
    return value;
  }

  #at(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`;
  }
}
