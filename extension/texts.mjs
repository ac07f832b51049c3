// The texts of the extension: those of a language (src/locales), and the words of
// each task type in all languages (src/shared/task_words.json), so that a new type
// brings its words in one file.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const source = join(dirname(fileURLToPath(import.meta.url)), 'src')
const read = (...path) => JSON.parse(readFileSync(join(source, ...path), 'utf8'))

export const languages = readdirSync(join(source, 'locales')).map(file => file.replace('.json', '')).sort()

/** The texts of a language: what a task of each type is (task), what it did (did), and the name of such tasks (kind). */
export function textsOf(language) {
  const texts = read('locales', `${language}.json`)
  for (const [type, words] of Object.entries(read('shared', 'task_words.json'))) {
    for (const [use, text] of Object.entries(words[language] ?? {})) texts[`${use}_${type}`] = text
  }
  return texts
}
