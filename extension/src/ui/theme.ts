/** The colours that the member chose; the browser's by default. */
export type Theme = 'auto' | 'light' | 'dark'

export const theme = (): Theme => (localStorage.getItem('theme') as Theme | null) ?? 'auto'

export function applyTheme(chosen: Theme = theme()): void {
  localStorage.setItem('theme', chosen)
  document.documentElement.dataset['theme'] = chosen
}
