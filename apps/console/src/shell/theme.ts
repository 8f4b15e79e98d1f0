/** Light, dark, or what the system prefers. */
export type Theme = 'system' | 'light' | 'dark';

const KEY = 'tinkerbell-theme';
export const themes: readonly Theme[] = ['system', 'light', 'dark'];

export function chosenTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return themes.find((one) => one === kept) ?? 'system';
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  applyTheme();
}

export function applyTheme(): void {
  const theme = chosenTheme();
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}
