export type ValidName =
  | { readonly ok: true; readonly name: string }
  | { readonly ok: false; readonly message: string };

/** The length that upstream cuts names to: the limit of a label, so that the name can be one. */
const NAME_MAX = 63;

/**
 * Converts any text to the name of an object (upstream makeValidName): `aa:bb` with the prefix `discovery-`
 * becomes `discovery-aa-bb`. Different texts may give the same name. A trailing hyphen after the cut is
 * removed, where upstream's object would be refused.
 */
export function makeValidName(text: string, prefix: string): ValidName {
  const trimmed = text.trim();
  if (trimmed === '') return { ok: false, message: 'name cannot be empty' };
  let name = prefix + trimmed;
  if (!/^[a-zA-Z0-9]/.test(name)) name = `e${name}`;
  if (!/[a-zA-Z0-9]$/.test(name)) name = `${name}e`;
  const valid = name
    .replace(/[^a-zA-Z0-9-]/gu, '-')
    .replace(/-+/g, '-')
    .replace(/^-|-$/g, '')
    .toLowerCase()
    .slice(0, NAME_MAX)
    .replace(/-$/, '');
  return valid === '' ? { ok: false, message: 'name cannot be empty' } : { ok: true, name: valid };
}
