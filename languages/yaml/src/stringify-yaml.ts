import { stringify } from 'yaml';

/** Block style YAML as `kubectl get -o yaml` prints it: two spaces, lists not indented, long text unfolded. */
export function stringifyYaml(value: unknown): string {
  return stringify(value, { lineWidth: 0, indentSeq: false, aliasDuplicateObjects: false, version: '1.1' });
}
