/** The whole command line as a function: words in, exit code out. */
import { CommanderError, type Command } from 'commander';
import { addApply, addDiff } from './apply/apply-command.ts';
import { addAudit } from './audit/audit-command.ts';
import { addBackup, addRestore } from './backup/backup-commands.ts';
import { addMachineCommands } from './bmc/machine-commands.ts';
import { addBoot } from './boot/boot-command.ts';
import { addCompletion } from './completion/completion-command.ts';
import { addConfig } from './config/config-command.ts';
import { addDelete } from './delete/delete-command.ts';
import { addDescribe } from './describe/describe-command.ts';
import { addDoctor } from './doctor/doctor-command.ts';
import { addEdit, addPatch } from './edit/edit-commands.ts';
import { addEvents } from './events/events-command.ts';
import { addExplain } from './explain/explain-command.ts';
import { addGet } from './get/get-command.ts';
import { addHardware } from './hardware/hardware-command.ts';
import { addImage } from './image/image-command.ts';
import { addExport, addImport } from './import/import-command.ts';
import { addLogin } from './login/login-command.ts';
import { addLogs } from './logs/logs-command.ts';
import { addMetadataCommands } from './metadata/metadata-commands.ts';
import { addMigrate } from './migrate/migrate-command.ts';
import { addOs } from './os/os-command.ts';
import { addPreflight } from './preflight/preflight-command.ts';
import { addReprovision } from './reprovision/reprovision-command.ts';
import { addRescue } from './rescue/rescue-command.ts';
import { addSimulate } from './simulate/simulate-command.ts';
import { addTemplate } from './template/template-command.ts';
import { addAuth, addToken } from './token/token-command.ts';
import { addTree } from './tree/tree-command.ts';
import { addVersion, VERSION } from './version/version-command.ts';
import { addWait } from './wait/wait-command.ts';
import { addWorkflow } from './workflow/workflow-command.ts';
import { ExplainedCommand } from './command-line/explained-command.ts';
import { withJsonHabit } from './command-line/json-habit.ts';
import { exitCode, TinkFailure } from './failure.ts';
import { printable } from './output/printable.ts';
import { DEFAULT_SERVER } from './client/session.ts';
import { guarded, type ProcessTerminal, type Terminal } from './output/terminal.ts';

/** Exit code of a command that SIGINT ended, by shell convention. */
const INTERRUPTED = 130;

/** Runs tink and returns the exit code. Unexpected failures are bugs and are thrown. */
export async function runTink(words: readonly string[], unguarded: ProcessTerminal): Promise<number> {
  const terminal = guarded(unguarded);
  const program = createProgram(terminal);
  try {
    await program.parseAsync(words, { from: 'user' });
    return exitCode.ok;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? exitCode.ok : exitCode.usage;
    if (!(thrown instanceof TinkFailure)) throw thrown;
    if (terminal.signal.aborted) return INTERRUPTED;
    terminal.err(messageText(thrown.message));
    if (thrown.advice !== undefined) terminal.err(`      ${printable(thrown.advice)}\n`);
    return thrown.exitCode;
  }
}

/** Prefixes the last line. The lines before it are problems that start with their file. */
function messageText(message: string): string {
  const lines = message.split('\n');
  const last = lines.pop() ?? '';
  return [...lines, `tink: ${last}`, ''].join('\n');
}

const help = `
Exit codes: 0 success, 1 failure, 2 invalid command line.

Examples:
  sudo tink preflight --interface eth1       find DHCP servers, and which mode to run
  tink apply -f examples/debian              register a machine, a template and a workflow
  tink events --machine machine-1 -w         watch a machine boot and install
  tink boot machine-1                        show how far it got, and why it stopped
  tink doctor                                list machines that do not boot, why, and what to do
  tink get workflows                         list workflows with their progress
  tink describe workflow machine-1-debian    show details of one workflow
  tink logs machine-1-debian -f              print the output of its actions
  tink workflow retry machine-1-debian       resume it where it stopped
  tink reprovision machine-1                 install it again
  tink power cycle machine-1                 restart it through its BMC
  tink rescue machine-1                      boot it into a shell, to repair it
  tink config set-server http://192.168.56.4:7080
`;

/** The tree of commands. */
export function createProgram(terminal: Terminal): Command {
  const program = emptyProgram(terminal);
  addApply(program, terminal);
  addDiff(program, terminal);
  addGet(program, terminal);
  addDescribe(program, terminal);
  addTree(program, terminal);
  addExplain(program, terminal);
  addEdit(program, terminal);
  addPatch(program, terminal);
  addMetadataCommands(program, terminal);
  addDelete(program, terminal);
  addWait(program, terminal);
  addEvents(program, terminal);
  addLogs(program, terminal);
  addAudit(program, terminal);
  addBoot(program, terminal);
  addDoctor(program, terminal);
  addImport(program, terminal);
  addExport(program, terminal);
  addImage(program, terminal);
  addHardware(program, terminal);
  addTemplate(program, terminal);
  addWorkflow(program, terminal);
  addReprovision(program, terminal);
  addRescue(program, terminal);
  addMachineCommands(program, terminal);
  addBackup(program, terminal);
  addRestore(program, terminal);
  addMigrate(program, terminal);
  addOs(program, terminal);
  addPreflight(program, terminal);
  addSimulate(program, terminal);
  addConfig(program, terminal);
  addLogin(program, terminal);
  addToken(program, terminal);
  addAuth(program, terminal);
  addVersion(program, terminal);
  addCompletion(program, terminal);
  withJsonHabit(program);
  return program;
}

/** The options of every command. */
function emptyProgram(terminal: Terminal): Command {
  return new ExplainedCommand('tink')
    .description('Operates Tinkerbell: machines, templates and workflows.')
    .version(VERSION, '--version', 'print the version of tink; "tink version" also prints the server’s')
    .option(
      '--server <url>',
      `URL of the API (default: TINK_SERVER, the configuration, or ${DEFAULT_SERVER})`,
    )
    .option(
      '-n, --namespace <name>',
      'namespace of the objects (default: that of the configuration, or "default")',
    )
    .option(
      '--context <name>',
      'context of the configuration (default: TINK_CONTEXT, or the current context)',
    )
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err, getOutHelpWidth: terminal.columns })
    .exitOverride()
    .addHelpText('after', help);
}
