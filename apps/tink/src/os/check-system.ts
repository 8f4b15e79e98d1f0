/** `tink os check`: finds what is missing before a machine is touched. */
import { hardwareKind, isOfKind, templateKind, workflowKind, type Hardware } from '@tinkerbell/resources';
import { placeholderProblems } from '../apply/placeholders.ts';
import { formatManifestProblem, type LocatedObject } from '../manifests/manifest-objects.ts';
import { fileFindings, type FileCheck } from './file-findings.ts';
import type { Finding } from './finding.ts';
import { machineFindings } from './machine-findings.ts';
import { systemNamed } from './systems.ts';

export interface CheckInput {
  readonly objects: readonly LocatedObject[];
  /** What the server knows of the machines, by name. */
  readonly stored: ReadonlyMap<string, Hardware>;
  readonly problemOfUrl: FileCheck['problemOfUrl'];
}

export async function checkSystem({
  objects,
  stored,
  problemOfUrl,
}: CheckInput): Promise<readonly Finding[]> {
  const findings: Finding[] = placeholderProblems(objects).map((problem) => ({
    machine: '-',
    item: 'placeholder',
    level: 'missing',
    message: formatManifestProblem(problem),
  }));
  const resources = objects.map(({ resource }) => resource);
  const machines = resources.filter((one) => isOfKind(one, hardwareKind));
  const workflows = resources.filter((one) => isOfKind(one, workflowKind));
  const templates = new Map(
    resources
      .filter((one) => isOfKind(one, templateKind))
      .map(({ metadata, spec }) => [metadata.name, spec?.data ?? '']),
  );
  const known = new Map<string, string | undefined>();
  const cached = async (url: string): Promise<string | undefined> => {
    if (!known.has(url)) known.set(url, await problemOfUrl(url));
    return known.get(url);
  };
  for (const machine of machines) {
    const { name } = machine.metadata;
    const own = workflows.filter(({ spec }) => spec?.hardwareRef === name);
    // A machine with an iPXE script of its own has no Workflow.
    const { distro = '' } = machine.spec?.metadata?.instance?.operating_system ?? {};
    const names = own.length === 0 ? [distro] : own.map(({ spec }) => spec?.templateRef ?? '');
    const facts = names.map(systemNamed).find((one) => one !== undefined);
    findings.push(...machineFindings(machine, stored.get(name), facts));
    for (const workflow of own) {
      const text = templates.get(workflow.spec?.templateRef ?? '');
      if (text !== undefined)
        findings.push(...(await fileFindings({ machine, workflow, text, problemOfUrl: cached })));
    }
  }
  return findings;
}
