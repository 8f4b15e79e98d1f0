/** `tink os init`: writes the manifests of a system for registered machines. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nearest } from '@tinkerbell/resources';
import { placeholderProblems } from '../apply/placeholders.ts';
import type { Session } from '../client/session.ts';
import { readText } from '../files/unreadable.ts';
import { TinkFailure, usageFailure } from '../failure.ts';
import { checkManifests, formatManifestProblem } from '../manifests/manifest-objects.ts';
import { findHardware } from '../workflow/create-workflow.ts';
import type { Answers } from './answers.ts';
import { manifestsFor, manifestText, type SystemManifests } from './init-manifests.ts';
import { systemNamed, systems, type SystemFacts } from './systems.ts';

export interface InitWish {
  readonly system: string;
  /** Names or MACs of registered machines. */
  readonly machines: readonly string[];
  readonly folder: string;
  /** Replaces files that exist. */
  readonly force: boolean;
  readonly address: string | undefined;
  readonly answers: Omit<Answers, 'server'>;
}

export interface Initialized {
  readonly files: readonly string[];
  /** Values that must still be edited, with their places. */
  readonly left: readonly string[];
}

/** @throws TinkFailure when a machine is not registered, an answer is missing, or a file exists. Writes nothing then. */
export async function initSystem(session: Session, wish: InitWish): Promise<Initialized> {
  const facts = knownSystem(wish.system);
  refuseWithoutUserData(facts, wish);
  const server = serverAddress(session, wish.address);
  const made: SystemManifests[] = [];
  for (const [index, word] of wish.machines.entries()) {
    const machine = await findHardware(session, word);
    const system = facts.name === 'harvester' && index > 0 ? 'harvester-join' : facts.name;
    const manifests = manifestsFor(system, machine, { ...wish.answers, server });
    if (manifests !== undefined) made.push(manifests);
  }
  const texts = textsOf(made);
  const names = Object.keys(texts).map((name) => join(wish.folder, name));
  const existing = names.filter((path) => existsSync(path));
  if (existing.length > 0 && !wish.force)
    throw new TinkFailure(`${existing.join(', ')} would be replaced`, {
      advice: 'choose another folder with --dir, or add --force',
    });
  await mkdir(wish.folder, { recursive: true });
  for (const [name, text] of Object.entries(texts)) await writeFile(join(wish.folder, name), text);
  return { files: names, left: leftToEdit(texts, wish.folder) };
}

export function knownSystem(name: string): SystemFacts {
  const facts = systemNamed(name);
  if (facts !== undefined) return facts;
  const close = nearest(
    name,
    systems.map((one) => one.name),
  );
  const hint =
    close === undefined ? 'tink os list shows all' : `did you mean ${close}? tink os list shows all`;
  throw usageFailure(`there is no system "${name}"`, hint);
}

function refuseWithoutUserData({ name, userData, userDataFrom }: SystemFacts, { answers }: InitWish): void {
  if (userDataFrom === undefined || answers.userData !== undefined) return;
  throw usageFailure(`${name} needs --user-data FILE: the ${userData}`, `generate it with ${userDataFrom}`);
}

/** Machines cannot reach a loopback address. */
function serverAddress({ client }: Session, asked: string | undefined): Answers['server'] {
  const { hostname, port } = URL.parse(asked === undefined ? client.server : `http://${asked}`) ?? {};
  if (hostname === undefined || hostname === '')
    throw usageFailure(`--address must be HOST or HOST:PORT, not ${JSON.stringify(asked)}`);
  if (asked === undefined && /^(127\.|localhost$|\[::1\]$)/.test(hostname))
    throw usageFailure(
      `machines cannot reach the server at ${hostname}`,
      'add the address that they use: --address 192.168.1.4:7080',
    );
  return { host: hostname, port: port || '7080' };
}

function textsOf(made: readonly SystemManifests[]): Readonly<Record<string, string>> {
  const templates = [...new Set(made.flatMap(({ template }) => template ?? []))];
  const workflows = made.flatMap(({ workflow }) => workflow ?? []);
  return {
    'hardware.yaml': manifestText(made.map(({ hardware }) => hardware)),
    ...(templates.length === 0 ? {} : { 'template.yaml': templates.join('---\n') }),
    ...(workflows.length === 0 ? {} : { 'workflow.yaml': manifestText(workflows) }),
  };
}

function leftToEdit(texts: Readonly<Record<string, string>>, folder: string): readonly string[] {
  const files = Object.entries(texts).map(([name, text]) => ({ name: join(folder, name), text }));
  const { objects, problems } = checkManifests(files, { fallback: 'default' });
  return [...problems, ...placeholderProblems(objects)].map(formatManifestProblem);
}

/** @throws TinkFailure when the file is unreadable. */
export async function fileText(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  return readText(path);
}
