/**
 * Runs the examples for Terraform and Ansible against a real server with a real agent, which executes a harmless Template. They run
 * where the programs are installed: `terraform` with `terraform-provider-kubectl` on the PATH, `ansible-playbook` with kubernetes.core.
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '@tinkerbell/sandbox/free-port';
import { startServer, type ServerChild } from './start-server.ts';

const deploy = join(import.meta.dirname, '../../deploy');
const agentMain = join(import.meta.dirname, '../../apps/agent/src/main.ts');
const MACHINE = '08:00:27:9e:f5:3a';
const RUN_MS = 120_000;

const greeting = `version: "0.1"
name: greet
global_timeout: 60
tasks:
  - name: greet
    worker: "{{ .device_1 }}"
    actions:
      - {name: hello, image: busybox, timeout: 30, command: [echo, hello]}
`;

function pathOf(program: string): string | undefined {
  try {
    return execFileSync('which', [program], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

const provider = pathOf('terraform-provider-kubectl');
const noTerraform =
  provider === undefined || pathOf('terraform') === undefined || pathOf('kubectl') === undefined
    ? 'terraform, terraform-provider-kubectl or kubectl 1.23 is not installed'
    : false;
const noAnsible =
  pathOf('ansible-playbook') === undefined ? 'ansible-playbook with kubernetes.core is not installed' : false;

describe('tools of others order an installation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-automation-'));
  const agents: ChildProcess[] = [];
  let server: ServerChild;
  let grpcPort = 0;

  before(async () => {
    grpcPort = await freePort();
    server = await startServer({ flags: ['--tink-server-bind-port', String(grpcPort)] });
  });

  after(async () => {
    for (const agent of agents) {
      const ended = once(agent, 'exit');
      agent.kill('SIGKILL');
      await ended;
    }
    await server[Symbol.asyncDispose]();
    rmSync(server.dataDirectory, { recursive: true, force: true });
    rmSync(folder, { recursive: true });
  });

  function startAgent(id: string): void {
    const own = ['--id', id, '--grpc-server', `127.0.0.1:${grpcPort}`, '--attribute-detection=false'];
    const spool = ['--spool-directory', join(folder, `spool-${agents.length}`)];
    agents.push(spawn(process.execPath, [agentMain, ...own, ...spool], { stdio: 'ignore' }));
  }

  async function run(
    program: string,
    words: readonly string[],
    env: Record<string, string>,
  ): Promise<string> {
    const { stdout } = await promisify(execFile)(program, words, {
      cwd: folder,
      env: { ...process.env, ...env },
      timeout: RUN_MS,
    });
    return stdout;
  }

  async function stateOf(workflow: string): Promise<string | undefined> {
    const path = `/apis/tinkerbell.org/v1alpha1/namespaces/default/workflows/${workflow}`;
    const { status } = (await (await server.request(`${server.url}${path}`)).json()) as {
      readonly status?: { readonly state?: string };
    };
    return status?.state;
  }

  test(
    'terraform applies, waits for the Workflow, and has nothing to change then',
    { skip: noTerraform },
    async () => {
      startAgent(MACHINE);
      writeFileSync(join(folder, 'greet.yaml'), greeting);
      const overrides = `provider_installation {\n  dev_overrides { "gavinbunney/kubectl" = "${dirname(provider ?? '')}" }\n}\n`;
      writeFileSync(join(folder, 'terraform.rc'), overrides);
      const env = {
        TF_CLI_CONFIG_FILE: join(folder, 'terraform.rc'),
        TF_DATA_DIR: join(folder, 'terraform'),
      };
      const settings = [
        `-state=${join(folder, 'terraform.tfstate')}`,
        `-var-file=${join(deploy, 'terraform/site.tfvars')}`,
        `-var=kubeconfig=${join(server.dataDirectory, 'kubeconfig')}`,
        `-var=template_file=${join(folder, 'greet.yaml')}`,
      ];
      const terraform = (...words: readonly string[]): Promise<string> =>
        run('terraform', [`-chdir=${join(deploy, 'terraform')}`, ...words], env);
      assert.match(await terraform('apply', '-auto-approve', '-no-color', ...settings), /4 added/);
      assert.equal(await stateOf('m1-image'), 'SUCCESS');
      assert.match(await terraform('plan', '-no-color', ...settings), /No changes/);
      assert.match(await terraform('destroy', '-auto-approve', '-no-color', ...settings), /4 destroyed/);
    },
  );

  test('ansible registers machines, orders, and waits for the end', { skip: noAnsible }, async () => {
    startAgent('08:00:27:9e:f5:3b');
    mkdirSync(join(folder, 'ansible'));
    const template = { apiVersion: 'tinkerbell.org/v1alpha1', kind: 'Template', metadata: { name: 'greet' } };
    const made = await server.request(
      `${server.url}/apis/tinkerbell.org/v1alpha1/namespaces/default/templates`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...template, spec: { data: greeting } }),
      },
    );
    assert.equal(made.status, 201);
    const words = ['-i', join(deploy, 'ansible/inventory.yaml'), '--limit', 'm2', '-e', 'template=greet'];
    const env = {
      KUBECONFIG: join(server.dataDirectory, 'kubeconfig'),
      ANSIBLE_HOME: join(folder, 'ansible'),
    };
    const playbook = join(deploy, 'ansible/provision.yaml');
    assert.match(await run('ansible-playbook', [...words, playbook], env), /m2 .*changed=2 .*failed=0/);
    assert.equal(await stateOf('m2-greet'), 'SUCCESS');
    assert.match(await run('ansible-playbook', [...words, playbook], env), /m2 .*changed=0 .*failed=0/);
  });
});
