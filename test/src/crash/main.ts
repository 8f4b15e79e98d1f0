/** `npm run test:crash [-- --cycles 5000] [--seed 7] [--json]` */
import { parseArgs } from 'node:util';
import { runCrashes } from './crash-run.ts';

const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(process.hrtime()[1]) },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const [cycles, seed] = [Number(values.cycles), Number(values.seed)];
if (values.help || !Number.isInteger(cycles) || !Number.isInteger(seed)) {
  process.stdout.write(
    'npm run test:crash -- [--cycles 200] [--seed NUMBER] [--json]\n\nKills the server repeatedly while workflows run, and compares what it has stored\nwith what it had acknowledged.\n',
  );
  process.exitCode = values.help ? 0 : 2;
} else {
  const report = await runCrashes({
    cycles,
    seed,
    onCycle: (done, fault) => void process.stderr.write(`\r${done} of ${cycles}: ${fault.kind}          `),
  });
  process.stderr.write('\n');
  process.stdout.write(`${values.json ? JSON.stringify(report) : JSON.stringify(report, undefined, 2)}\n`);
  process.exitCode = report.violations.length === 0 ? 0 : 1;
}
