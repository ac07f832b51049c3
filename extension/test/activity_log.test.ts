import { expect, it } from 'vitest'
import { ActivityLog, authorIn } from '../src/worker/activity_log'
import type { Entry } from '../src/worker/journal'
import { SignOut } from '../src/worker/sign_out'
import { MemoryStore, start } from './fakes'

const done = (task_type: string, input: unknown = {}, more: Partial<Entry> = {}): Entry =>
  ({ task: 't', lease: 'l', attempt: 1, task_type, input, state: 'done', at: start, account: 'u', output: {}, ...more })

const opened = (store = new MemoryStore()) => ActivityLog.open(store, () => {}, () => start)

it('describes tasks by what the pages showed', async () => {
  const store = new MemoryStore()
  const log = await opened(store)
  const elena = { name: 'Elena Ito', url: 'http://n.test/in/elena' }
  await log.write(done('agent_comment_post', { comment_text: 'Well done!' }, { target: { name: 'Carbon accounting', url: 'http://n.test/posts/1', by: elena } }))
  await log.write(done('agent_profile_fetch', { profile_slug: 'elena' }, { output: { name: 'Elena Ito', profile_url: elena.url } }))
  await log.write(done('keyword_scan', { keyword: 'hiring' }, { output: { posts: [{}, {}] }, found: 200 }))
  await log.write(done('agent_profiles_search', { keywords: 'engineer' }, { output: { profiles: [], total: 7 } }))
  await log.write(done('agent_like_post', {}, { error: { code: 'not_found', message: 'gone', acted: false } }))
  expect((await opened(store)).deeds).toEqual([
    { task: 't', at: start, task_type: 'agent_like_post', error: { code: 'not_found', message: 'gone' } },
    { task: 't', at: start, task_type: 'agent_profiles_search', text: 'engineer', count: 7 },
    { task: 't', at: start, task_type: 'keyword_scan', text: 'hiring', count: 202 },
    { task: 't', at: start, task_type: 'agent_profile_fetch', target: elena },
    { task: 't', at: start, task_type: 'agent_comment_post', text: 'Well done!', target: { name: 'Carbon accounting', url: 'http://n.test/posts/1', by: elena } },
  ])
  expect(authorIn('people_scan', [{ author_name: 'Elena Ito', author_url: elena.url }])).toEqual(elena)
  expect(authorIn('keyword_scan', [{ author_name: 'Elena Ito', author_url: elena.url }])).toBeUndefined()
})

it('names what a task was about when no page showed it', async () => {
  const log = await opened()
  const failed = { error: { code: 'not_found' as const, message: 'gone', acted: false } }
  const named = async (type: string, input: unknown) => {
    await log.write(done(type, input, failed))
    return log.deeds[0]!.target
  }
  for (const [type, input, name] of [
    ['agent_company_fetch', { company_slug: 'acme' }, 'acme'],
    ['agent_company_posts_fetch', { company_slug: 'https://n.test/company/acme/posts?x=1' }, 'acme'],
    ['agent_profile_fetch', { profile_slug: 'zo%C3%AB' }, 'zo%C3%AB'],
    ['agent_profile_fetch', { profile_slug: 'https://n.test/in/zo%C3%AB' }, 'zoë'],
    ['people_scan', { profile: 'urn:network:member:12' }, '12'],
    ['company_scan', { company: 'acme' }, 'acme'],
    ['agent_send_message', { recipient_urn: 'jo', message: 'Hi' }, 'jo'],
  ] as const) expect(await named(type, input), type).toEqual({ name })
  for (const [type, input] of [['agent_like_post', { social_urn: '7' }], ['keyword_scan', { keyword: 'x' }], ['agent_company_fetch', { company_slug: 7 }], ['agent_company_fetch', null], ['agent_profile_fetch', { profile_slug: '//' }]] as const) {
    expect(await named(type, input), type).toBeUndefined()
  }
})

it('keeps the last 500 entries, and those of one team', async () => {
  const log = await opened()
  await log.begin('one')
  for (let i = 0; i < 520; i++) await log.write(done('keyword_scan', { keyword: `k${i}` }))
  expect(log.deeds).toHaveLength(500)
  expect(log.deeds[0]!.text).toBe('k519')
  await log.begin('one')
  expect(log.deeds).toHaveLength(500)
  await log.begin('two')
  expect(log.deeds).toEqual([])
})

it('a session is ended at the service, later if need be', async () => {
  const store = new MemoryStore(), asked: [string, unknown][] = []
  let answer: () => Response = () => { throw new Error('offline') }
  const signOut = new SignOut(store, async (url, init) => {
    asked.push([String(url), (init?.headers as Record<string, string>)['authorization']])
    return answer()
  })
  expect(await signOut.end({ service: 'https://w.test', token: 'secret' })).toBe(false)
  answer = () => new Response('', { status: 503 })
  await signOut.retry()
  expect(store.items).toHaveProperty('endings')
  answer = () => new Response('{"success":true}')
  await signOut.retry()
  expect(store.items).not.toHaveProperty('endings')
  expect(asked).toEqual(Array(3).fill(['https://w.test/extension/sign-out', 'Bearer secret']))
  expect(await signOut.end({ service: 'https://w.test', token: 'other' })).toBe(true)
})
