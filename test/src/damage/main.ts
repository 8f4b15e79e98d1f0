/** `npm run test:damage [-- --count 500] [--seed 7] [--json]` */
import { parseArgs } from 'node:util';
import { runDamages } from './damage-run.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(process.hrtime()[1]) },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const [count, seed] = [Number(values.count), Number(values.seed)];
if (values.help || !Number.isInteger(count) || !Number.isInteger(seed)) {
  process.stdout.write(
    'npm run test:damage -- [--count 500] [--seed NUMBER] [--json]\n\nFlips bits, truncates, empties, removes and swaps the files of a data folder, opens each, and\ncompares its content with what had been acknowledged.\n',
  );
  process.exitCode = values.help ? 0 : 2;
} else {
  const report = await runDamages({
    count,
    seed,
    onDamage: (done, what) =>
      void process.stderr.write(`\r${done} of ${count}: ${what.padEnd(72).slice(0, 72)}`),
  });
  process.stderr.write('\n');
  process.stdout.write(`${values.json ? JSON.stringify(report) : JSON.stringify(report, undefined, 2)}\n`);
  process.exitCode = report.silent.length === 0 ? 0 : 1;
}
