import { useMemo, useState } from 'react';
import { hardware, pathOf } from '../api/kinds.ts';
import { useMay } from '../api/permissions.ts';
import { sendForJson, textOf } from '../api/request.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { TinkCommand } from '../parts/tink-command.tsx';
import { readMachineCsv, type CsvRow } from './machine-csv.ts';
import { hardwareOf } from './machine-form.ts';

const EXAMPLE =
  'name,mac,ip,netmask,gateway,disks\nrack7-node1,52:54:00:ab:cd:01,192.168.56.41,255.255.255.0,192.168.56.1,/dev/sda';
const ROWS_SHOWN = 200;

/** Registers every valid row. Rows that fail stay, with the reason. */
export function CsvForm({
  text,
  onChange,
}: {
  readonly text: string;
  readonly onChange: (text: string) => void;
}) {
  const read = useMemo(() => readMachineCsv(text), [text]);
  const rows = 'rows' in read ? read.rows : [];
  const valid = rows.filter(({ problem }) => problem === '');
  const [results, setResults] = useState<ReadonlyMap<string, string>>(new Map());
  const refusal = useMay('')('create', hardware);
  const register = async (): Promise<void> => {
    setResults(new Map());
    for (const { form } of valid) {
      const outcome = await sendForJson(pathOf(hardware, form.namespace), {
        method: 'POST',
        body: hardwareOf(form),
      }).then(() => 'registered', textOf);
      setResults((before) => new Map(before).set(form.mac, outcome));
    }
  };
  return (
    <section className="form" aria-label="From CSV">
      <label className="field">
        <span>Paste rows from a spreadsheet. The first row names the columns</span>
        <textarea
          className="csv"
          rows={8}
          spellCheck={false}
          placeholder={EXAMPLE}
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      </label>
      {'problem' in read && (
        <p role="alert" className="failure">
          {read.problem}
        </p>
      )}
      {rows.length > 0 && <CsvTable rows={rows} results={results} />}
      <TinkCommand command="tink import machines.csv" />
      <div className="form-end">
        <ActionButton
          tone="primary"
          refusal={refusal ?? (valid.length === 0 ? 'Paste at least one valid row first' : undefined)}
          onAct={() => void register()}
        >
          Register {valid.length} {valid.length === 1 ? 'machine' : 'machines'}
        </ActionButton>
        <span role="status">{results.size > 0 && `${results.size} of ${valid.length} sent`}</span>
      </div>
    </section>
  );
}

function CsvTable({
  rows,
  results,
}: {
  readonly rows: readonly CsvRow[];
  readonly results: ReadonlyMap<string, string>;
}) {
  return (
    <div className="table-scroller short" tabIndex={0} role="region" aria-label="Rows">
      <table className="data-table">
        <thead>
          <tr>
            <th>Line</th>
            <th>Name</th>
            <th>MAC</th>
            <th>Address</th>
            <th>Result</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, ROWS_SHOWN).map(({ line, form, problem }) => (
            <tr key={line}>
              <td>{line}</td>
              <td>{form.name}</td>
              <td className="mono">{form.mac}</td>
              <td className="mono">{form.address}</td>
              <td className={problem === '' ? '' : 'bad-text'}>
                {problem || results.get(form.mac) || 'valid'}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
