/** An invalid setting. The message names the flag, the value and the fix. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}
