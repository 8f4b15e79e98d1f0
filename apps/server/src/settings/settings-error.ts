/** A setting that cannot be used. The message names the flag, the value and the way out. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}
