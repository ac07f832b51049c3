import { vi } from 'vitest'
// @ts-expect-error -- a program without types
import * as texts from '../texts.mjs'

export const { languages, textsOf } = texts as { languages: string[]; textsOf(language: string): Record<string, string> }

/** Lets chrome.i18n answer with the texts of a language. */
export function speak(language: string, browser = language): void {
  const texts = textsOf(language)
  vi.stubGlobal('chrome', {
    i18n: { getUILanguage: () => browser.replace('_', '-'), getMessage: (key: string, parts: string[] = []) => (texts[key] ?? '').replace(/\$(\d)/g, (_, n: string) => parts[Number(n) - 1] ?? '') },
  })
}
