/** Finds the Hardware of a workflow, and the value of a template's `device_1`. */
import { agentIdOf, isRecord, type Hardware } from '@tinkerbell/resources';
import { usageFailure } from '../failure.ts';

/** Returns the MAC in lower case with colons, or undefined if `text` is not a MAC. */
export function macIn(text: string): string | undefined {
  const digits = text.toLowerCase().replace(/[:.-]/g, '');
  if (!/^[0-9a-f]{12}$/.test(digits)) return undefined;
  const isGrouped = /^([0-9a-f]{2}[:-]?){6}$|^([0-9a-f]{4}\.){2}[0-9a-f]{4}$/.test(text.toLowerCase());
  return isGrouped ? (digits.match(/../g) ?? []).join(':') : undefined;
}

/** Returns the Hardware that has this MAC on one of its network interfaces. */
export function hardwareWithMac(mac: string, all: readonly Hardware[]): Hardware | undefined {
  return all.find((one) => one.spec?.interfaces?.some(({ dhcp }) => dhcp?.mac === mac));
}

/** Sets `device_1` to the id of the agent: the Hardware's agentID, else its first MAC. Explicit pairs take precedence. */
export function hardwareMapFor(
  hardware: Hardware | undefined,
  pairs: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const agent = agentIdOf(hardware);
  return { ...(agent === undefined ? {} : { device_1: agent }), ...pairs };
}

/** Parses `device_1=08:00:27:00:00:01`. Throws a usage failure. */
export function pairsOf(texts: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf('=');
      if (at < 1)
        throw usageFailure(
          `--set must be NAME=VALUE, not ${JSON.stringify(text)}`,
          'for example --set device_1=08:00:27:00:00:01',
        );
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

function isMap(value: unknown): value is Record<string, string> {
  return isRecord(value) && Object.values(value).every((one) => typeof one === 'string');
}

/** Parses the old command line's `-r '{"device_1":"08:00:27:00:00:01"}'`; undefined for a plain name. */
export function mapInJson(text: string): Readonly<Record<string, string>> | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (isMap(value)) return value;
  } catch {
    // Reported below.
  }
  throw usageFailure(`--hardware must be a name, a MAC or {"device_1":"MAC"}, not ${text}`);
}
