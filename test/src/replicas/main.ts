/** `npm run test:replicas [-- --kills 100] [--seed 7] [--json]` */
import { parseArgs } from 'node:util';
import { runReplicas } from './replicas-run.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(process.hrtime()[1]) },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const [kills, seed] = [Number(values.kills), Number(values.seed)];
if (values.help || !Number.isInteger(kills) || !Number.isInteger(seed)) {
  process.stdout.write(
    'npm run test:replicas -- [--kills 20] [--seed NUMBER] [--json]\n\nRepeatedly kills one of three servers on one PostgreSQL while workflows run,\nand compares what they have stored with what they had acknowledged.\n',
  );
  process.exitCode = values.help ? 0 : 2;
} else {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      interrupted.abort();
      process.stderr.write('\ninterrupted: the last kill ends, then what was done is checked\n');
    });
  }
  const report = await runReplicas({
    kills,
    seed,
    signal: interrupted.signal,
    onKill(done, moveMs) {
      const line = `${done} of ${kills}: work continued after ${(moveMs / 1000).toFixed(1)} s`;
      process.stderr.write(process.stderr.isTTY ? `\r${line}   ` : `${line}\n`);
    },
  });
  if (process.stderr.isTTY) process.stderr.write('\n');
  process.stdout.write(`${values.json ? JSON.stringify(report) : JSON.stringify(report, undefined, 2)}\n`);
  process.exitCode = report.violations.length === 0 ? 0 : 1;
}
