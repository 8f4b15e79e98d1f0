/** Whether the files that a Workflow names are there, and whether their checksums are compared. */
import { templatePlatform } from '@tinkerbell/platform-template';
import type { Hardware, Workflow } from '@tinkerbell/resources';
import { renderTemplate, type ActionDefinition } from '@tinkerbell/template';
import type { Finding } from './finding.ts';

/** Variables of actions with the address of a file, and those with its checksum. */
const FILES: readonly (readonly [url: string, checksum: string])[] = [
  ['IMG_URL', 'IMG_CHECKSUM'],
  ['KERNEL_URL', 'KERNEL_CHECKSUM'],
  ['INITRD_URL', 'INITRD_CHECKSUM'],
  ['ARCHIVE_URL', 'TARFILE_CHECKSUM'],
];
/** Files that an installer names in its kernel arguments. Not those of the metadata, which only the machine may read. */
const FILE_ARGUMENT = /https?:\/\/\S+\/images\/\S+\.(?:squashfs|iso|img)\b/g;

export interface FileCheck {
  readonly machine: Hardware;
  readonly workflow: Workflow;
  readonly text: string;
  /** Returns why a file cannot be fetched, or undefined. */
  readonly problemOfUrl: (url: string) => Promise<string | undefined>;
}

export async function fileFindings({
  machine,
  workflow,
  text,
  problemOfUrl,
}: FileCheck): Promise<readonly Finding[]> {
  const { name } = machine.metadata;
  const rendered = renderTemplate({
    templateName: workflow.metadata.name,
    text,
    hardware: machine,
    hardwareMap: workflow.spec?.hardwareMap ?? {},
    platform: templatePlatform,
  });
  if (!rendered.ok)
    return [{ machine: name, item: 'template', level: 'missing', message: rendered.error.message }];
  const actions = rendered.workflow.tasks.flatMap((task) => task.actions);
  const findings: Finding[] = [];
  for (const url of new Set(actions.flatMap(urlsOf))) {
    const problem = await problemOfUrl(url);
    const message = problem === undefined ? url : `${url}: ${problem}`;
    findings.push({ machine: name, item: 'image', level: problem === undefined ? 'ok' : 'missing', message });
  }
  return [...findings, ...actions.flatMap((action) => checksumFindings(name, action))];
}

function urlsOf({ environment }: ActionDefinition): readonly string[] {
  const urls = FILES.map(([name]) => environment.get(name) ?? '').filter((url) => /^https?:/.test(url));
  return [...urls, ...(environment.get('CMD_LINE') ?? '').matchAll(FILE_ARGUMENT).map(([url]) => url)];
}

/** The actions that compare a checksum. A registry checks what it sends by itself. */
const COMPARES = /(?:^|\/)(?:image2disk|kexec|archive2disk)(?:[:@]|$)/;

function checksumFindings(
  machine: string,
  { name, image, environment }: ActionDefinition,
): readonly Finding[] {
  if (!COMPARES.test(image)) return [];
  const value = (variable: string): string => environment.get(variable) ?? '';
  return FILES.filter(([url, checksum]) => /^https?:/.test(value(url)) && value(checksum) === '').map(
    ([url, checksum]) => ({
      machine,
      item: 'checksum',
      level: 'warning',
      message: `action "${name}" does not check ${url}: set ${checksum} to sha256: and its digits`,
    }),
  );
}
