/** How the artefacts were built: an in-toto Statement v1 with SLSA Provenance v1. Pure. */

export interface Provenance {
  readonly version: string;
  /** The commit that was built. */
  readonly commit: string;
  /** SOURCE_DATE_EPOCH of the build. */
  readonly modifiedSeconds: number;
  /** The lines of SHA256SUMS. */
  readonly sums: string;
  /** What ran the build: `v26.10.0`. */
  readonly nodeVersion: string;
}

const STATEMENT = 'https://in-toto.io/Statement/v1';
const PREDICATE = 'https://slsa.dev/provenance/v1';
const BUILD = 'https://tinkerbell.org/builds/npm-run-release/v1';
const SUM = /^([0-9a-f]{64}) {2}(\S+)$/;

/** Returns the statement as JSON. It has no time of the build, so that a repeated build has the same bytes. */
export function provenanceStatement(of: Provenance): string {
  const subject = of.sums
    .split('\n')
    .filter((line) => line !== '')
    .map(subjectOf);
  const statement = {
    _type: STATEMENT,
    subject,
    predicateType: PREDICATE,
    predicate: {
      buildDefinition: {
        buildType: BUILD,
        externalParameters: { version: of.version, sourceDateEpoch: of.modifiedSeconds },
        resolvedDependencies: [{ uri: 'git+file:.', digest: { gitCommit: of.commit } }],
      },
      runDetails: {
        builder: { id: 'npm run release', version: { node: of.nodeVersion } },
      },
    },
  };
  return `${JSON.stringify(statement, null, 2)}\n`;
}

function subjectOf(line: string): { readonly name: string; readonly digest: { readonly sha256: string } } {
  const [, sha256, name] = SUM.exec(line) ?? [];
  if (sha256 === undefined || name === undefined) throw new TypeError(`${line} is not a line of SHA256SUMS`);
  return { name, digest: { sha256 } };
}

/** Returns the names of the files whose bytes differ, or that only one of the builds has. */
export function differingFiles(one: string, other: string): readonly string[] {
  const [first, second] = [one, other].map(
    (sums) =>
      new Map(
        sums
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => [subjectOf(line).name, line]),
      ),
  );
  const names = new Set([...(first?.keys() ?? []), ...(second?.keys() ?? [])]);
  return [...names].filter((name) => first?.get(name) !== second?.get(name)).toSorted();
}
