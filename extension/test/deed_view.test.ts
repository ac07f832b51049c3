// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest'
import { reads, writes } from '../src/page/tasks'
import type { Deed } from '../src/shared/state'
import { csv, line, matches, symbolOf } from '../src/ui/deed_view'
import { ago, number } from '../src/ui/i18n'
import { start } from './fakes'
import { speak } from './texts'

afterEach(() => vi.unstubAllGlobals())

const comment: Deed = {
  task: 'task-1', at: start, task_type: 'agent_comment_post', text: 'Well done!',
  target: { name: 'Carbon accounting…', url: 'https://n.example/posts/1', by: { name: 'Elena Ito', url: 'https://n.example/in/elena' } },
}

it('says what was done, with links', () => {
  speak('en')
  const row = line(comment, start)
  expect(row.querySelector('.words')!.textContent).toBe('Commented on Elena Ito’s post “Carbon accounting…”: “Well done!”')
  expect([...row.querySelectorAll('a')].map(a => a.href)).toEqual(['https://n.example/in/elena', 'https://n.example/posts/1'])
  expect(row.textContent).not.toContain('task-1')
  expect(line({ ...comment, target: { name: 'x', url: 'javascript:alert(1)' } }, start).querySelector('a')).toBeNull()
  expect(line({ task: 't', at: start, task_type: 'keyword_scan', text: 'hiring', count: 12 }, start).textContent).toContain('Searched posts for “hiring”Found: 12')
})

it('keeps each name in its own direction', () => {
  speak('ar')
  const row = line(comment, start)
  expect([...row.querySelectorAll('bdi a')].map(a => a.textContent)).toEqual(['Elena Ito', 'Carbon accounting…'])
  expect(row.querySelector('.words')!.textContent).toBe('تم التعليق: منشور Elena Ito: «Carbon accounting…» – «\u2068Well done!\u2069»')
  speak('en')
  expect(line({ ...comment, text: 'أحسنت' }, start).textContent).toContain('“\u2068أحسنت\u2069”')
})

it('says failures in words', () => {
  speak('en')
  const row = line({ ...comment, error: { code: 'network_limit', message: 'rate_limited of any' } }, start)
  expect(row.textContent).toContain('Comment on Elena Ito’s post “Carbon accounting…”: “Well done!”')
  expect(row.textContent).toContain('for now, the network allows no more of this')
  expect(row.textContent).not.toContain('rate_limited')
  const gone = line({ task: 't', at: start, task_type: 'agent_company_fetch', target: { name: 'acme' }, error: { code: 'not_found', message: '' } }, start)
  expect(gone.querySelector('.words')!.textContent).toBe('Company: acme')
})

it('has texts and an icon for every task type', () => {
  speak('en')
  for (const type of Object.keys({ ...reads, ...writes })) {
    for (const error of [undefined, { code: 'timeout' as const, message: '' }]) {
      expect(line({ task: 't', at: start, task_type: type, ...error && { error } }, start).textContent).not.toMatch(/_|\$/)
    }
    expect(symbolOf({ task_type: type })).not.toBe('')
  }
})

it('writes dates and numbers as the browser does, in the language of the texts', () => {
  const at = Date.UTC(2030, 0, 2, 12), now = at + 30 * 86_400_000
  for (const [texts, browser, date, count] of [
    ['en', 'en-GB', '2 Jan', '1,234'], ['en', 'en-US', 'Jan 2', '1,234'], ['en', 'nl', 'Jan 2', '1,234'], ['de', 'de-DE', '2. Jan.', '1.234'],
  ] as const) {
    speak(texts, browser)
    expect([ago(at, now), number(1234)], browser).toEqual([date, count])
  }
})

it('filters and exports', () => {
  const failed: Deed = { task: 't', at: start, task_type: 'keyword_scan', text: '=1+1 "x"', error: { code: 'timeout', message: '' } }
  expect((['all', 'reads', 'writes', 'failed'] as const).map(filter => [comment, failed].filter(d => matches(d, filter)).length)).toEqual([2, 1, 1, 1])
  expect(csv([failed]).split('\r\n')[1]).toBe('"2030-01-09T15:00:00.000Z","t","keyword_scan","","","\'=1+1 ""x""","","timeout"')
})
