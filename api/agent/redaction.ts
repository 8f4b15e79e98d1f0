/** What both ends of the agent protocols blank out in output and messages: values of secret variables, wherever they show. */
const SECRET_NAME = /(PASSWORD|PASSWD|SECRET|TOKEN|KEY|CREDENTIAL)/i;
/** Shorter ones would blank out half of every line. */
const SECRET_LENGTH_MIN = 6;
export const BLANK = '***';

/** The secret values among `environment`; of one with several lines, its lines too. Longest first. */
export function secretsOf(environment: Readonly<Record<string, string>>): readonly string[] {
  const values = Object.entries(environment)
    .filter(([name]) => SECRET_NAME.test(name))
    .flatMap(([, value]) => [value, ...value.split('\n').map((line) => line.trim())]);
  return longestFirst(values);
}

/** The values that are long enough to be blanked out, each once. One may contain another. */
export function longestFirst(values: readonly string[]): readonly string[] {
  const secrets = new Set(values.filter((value) => value.length >= SECRET_LENGTH_MIN));
  return [...secrets].toSorted((a, b) => b.length - a.length);
}

export function redacted(text: string, secrets: readonly string[]): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, BLANK), text);
}
