export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

export function isTheme(value: unknown): value is Theme {
  return themes.some(theme => theme === value)
}

/** The content of `<meta name="color-scheme">`, by which the style sheets choose their colours. */
export function colorSchemeOf(theme: Theme): string {
  return theme === 'system' ? 'light dark' : theme
}

/** The attribute `media` of the `<meta name="theme-color">` for light or dark. */
export function themeColorMedia(theme: Theme, scheme: 'light' | 'dark'): string {
  if (theme === 'system') return `(prefers-color-scheme: ${scheme})`
  return theme === scheme ? 'all' : 'not all'
}
