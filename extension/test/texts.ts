import { readFileSync } from 'node:fs'
import { vi } from 'vitest'

/** Lets chrome.i18n answer with the texts of a language. */
export function speak(language: string, browser = language): void {
  const texts = JSON.parse(readFileSync(`src/locales/${language}.json`, 'utf8')) as Record<string, string>
  vi.stubGlobal('chrome', {
    i18n: { getUILanguage: () => browser.replace('_', '-'), getMessage: (key: string, parts: string[] = []) => (texts[key] ?? '').replace(/\$(\d)/g, (_, n: string) => parts[Number(n) - 1] ?? '') },
  })
}
