import {
  cdDriveOf,
  imageIn,
  insertBody,
  insertChange,
  withMissingParameter,
  type InsertBody,
} from '@tinkerbell/bmc';
import { delay } from '@tinkerbell/platform-contract';
import { linkIn, virtualMediaOf, type RedfishAction, type VirtualMedia } from '@tinkerbell/redfish';
import { BmcError } from '../bmc-error.ts';
import type { MediaState } from '../driver.ts';
import type { Resource } from './redfish-exchange.ts';
import { patch, readSystem, type RedfishMachine } from './redfish-machine.ts';
import { RefusalError } from './refusal.ts';

/** Some BMCs report an empty drive a moment after they have accepted to eject. */
const LOOKS_AFTER_MS = [0, 500, 2000, 4000] as const;
/** A BMC has up to eight drives. */
const DRIVES_MAX = 16;
/** Parameters that a refusal can name: each is added once. */
const INSERTS_MAX = 5;

/** Finds the drive once in a session. */
export class CdDrive {
  readonly #machine: RedfishMachine;
  #path: string | undefined;

  constructor(machine: RedfishMachine) {
    this.#machine = machine;
  }

  async read(): Promise<MediaState> {
    const url = imageIn((await this.#drive()).drive);
    return url === undefined ? {} : { url };
  }

  async write(url: string | undefined): Promise<void> {
    const { resource, drive } = await this.#drive();
    const old = imageIn(drive);
    if (old !== undefined) await this.#eject(resource, drive);
    if (url === undefined) return;
    if (old !== undefined) await this.#waitUntilEmpty(old);
    await this.#insert(url, drive);
  }

  /** Otherwise the old image could pass for the new one, which some BMCs report under a name of their own. */
  async #waitUntilEmpty(old: string): Promise<void> {
    const { clock, signal } = this.#machine.connection;
    for (const afterMs of LOOKS_AFTER_MS) {
      await delay(clock, afterMs, signal);
      if ((await this.read()).url === undefined) return;
    }
    throw new BmcError('not-applied', `the BMC accepted to eject ${old}, and reports that it is inserted`);
  }

  async #eject(resource: Resource, { eject }: VirtualMedia): Promise<void> {
    if (eject === undefined) return await patch(this.#machine, resource, { Image: null, Inserted: false });
    // HPE refuses a request without a body.
    await this.#machine.connection.change({ method: 'POST', path: eject.target, body: {} });
  }

  async #insert(url: string, { insert }: VirtualMedia): Promise<void> {
    if (insert !== undefined) return await this.#post(insert, insertBody(url), INSERTS_MAX);
    // Read again, since the ETag changes when the drive is emptied.
    const { resource } = await this.#drive();
    await patch(this.#machine, resource, insertChange(url));
  }

  async #post({ target: path }: RedfishAction, first: InsertBody, attemptsMax: number): Promise<void> {
    let body = first;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#machine.connection.change({ method: 'POST', path, body });
      } catch (thrown) {
        const next = thrown instanceof RefusalError ? withMissingParameter(body, thrown.messages) : undefined;
        if (next === undefined || attempt >= attemptsMax) throw thrown;
        body = next;
      }
    }
  }

  async #drive(): Promise<{ readonly resource: Resource; readonly drive: VirtualMedia }> {
    this.#path ??= await findDrive(this.#machine);
    const resource = await this.#machine.connection.get(this.#path);
    return { resource, drive: virtualMediaOf(resource.fields) };
  }
}

async function findDrive(machine: RedfishMachine): Promise<string> {
  for (const place of machine.vendor.mediaOf) {
    const collections = await (place === 'system' ? ofSystem(machine) : ofManagers(machine));
    for (const collection of collections) {
      const drive = cdDriveOf(await drivesIn(machine, collection));
      if (drive !== undefined) return drive.path;
    }
  }
  throw new BmcError('unsupported', 'the BMC has no virtual CD drive; some need a licence for it');
}

async function ofSystem(machine: RedfishMachine): Promise<readonly string[]> {
  const { virtualMedia } = (await readSystem(machine)).system;
  return virtualMedia === undefined ? [] : [virtualMedia];
}

async function ofManagers(machine: RedfishMachine): Promise<readonly string[]> {
  const { connection, root } = machine;
  const { managedBy } = (await readSystem(machine)).system;
  const { managers } = root;
  const paths =
    managedBy.length === 0 && managers !== undefined ? await connection.memberPaths(managers) : managedBy;
  const found: string[] = [];
  for (const path of paths.slice(0, DRIVES_MAX)) {
    const collection = linkIn((await connection.get(path)).fields, 'VirtualMedia');
    if (collection !== undefined) found.push(collection);
  }
  return found;
}

async function drivesIn(
  { connection }: RedfishMachine,
  collection: string,
): Promise<readonly (VirtualMedia & { readonly path: string })[]> {
  const drives: (VirtualMedia & { readonly path: string })[] = [];
  for (const path of (await connection.memberPaths(collection)).slice(0, DRIVES_MAX))
    drives.push({ ...virtualMediaOf((await connection.get(path)).fields), path });
  return drives;
}
