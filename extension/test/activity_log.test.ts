import { expect, it } from 'vitest'
import { ActivityLog } from '../src/worker/activity_log'
import type { Entry } from '../src/worker/journal'
import { originOf } from '../src/ui/service'
import { deedOf, doingOf } from '../src/ui/words'
import { MemoryStore, start } from './fakes'

const done = (task_type: string, input: unknown = {}, more: Partial<Entry> = {}): Entry =>
  ({ task: 't', lease: 'l', attempt: 1, task_type, input, state: 'done', at: start, account: 'u', output: {}, ...more })

const used = (log: ActivityLog) => Object.fromEntries(log.uses().filter(u => u.used > 0).map(u => [u.action, u.used]))

it('counts actions in days and weeks of UTC', async () => {
  const store = new MemoryStore()
  let now = start // a Wednesday
  const log = await ActivityLog.open(store, () => {}, () => now)
  await log.write(done('agent_like_post', { social_urn: 'urn:n:post:7' }))
  await log.write(done('agent_profiles_posts_fetch', { profile_urns: ['a', 'b', 'c'] }))
  await log.write(done('agent_send_connection_request', { profile_urn: 'x' }))
  await log.write(done('agent_comment_post', {}, { error: { code: 'not_found', message: 'gone', acted: false } }))
  await log.write(done('agent_send_message', {}, { error: { code: 'outcome_unknown', message: '?', acted: null } }))
  await log.write(done('forum_scan', { keyword: 'x' }))
  expect(used(log)).toEqual({ like: 1, people_scan: 3, invitation: 1, message: 1 })
  expect(log.deeds).toHaveLength(6)
  expect(log.deeds[2]).toMatchObject({ task_type: 'agent_comment_post', error: { code: 'not_found' } })
  now += 24 * 3600_000
  expect(used(await ActivityLog.open(store, () => {}, () => now))).toEqual({ invitation: 1 })
  now = Date.UTC(2030, 0, 14)
  expect(used(log)).toEqual({})
})

it('keeps the last hundred entries', async () => {
  const log = await ActivityLog.open(new MemoryStore(), () => {}, () => start)
  for (let i = 0; i < 120; i++) await log.write(done('agent_profile_fetch', { profile_slug: `p${i}` }))
  expect(log.deeds).toHaveLength(100)
  expect(log.deeds[0]!.about).toBe('p119')
})

it('has texts for every task type', () => {
  for (const type of ['agent_profile_fetch', 'agent_company_fetch', 'agent_profiles_posts_fetch', 'agent_company_posts_fetch', 'agent_profiles_search',
    'agent_connections_fetch', 'agent_like_post', 'agent_comment_post', 'agent_send_message', 'agent_send_connection_request',
    'keyword_scan', 'forum_scan', 'people_scan', 'company_scan']) {
    expect(deedOf(type)).not.toBe(type)
    expect(doingOf(type)).toMatch(/^\w+ing /)
  }
})

it('sends tokens over secure connections only', () => {
  expect(originOf(' https://w.example/some/page?x ')).toBe('https://w.example')
  expect(originOf('http://127.0.0.1:8080/')).toBe('http://127.0.0.1:8080')
  expect(originOf('http://localhost:8080')).toBe('http://localhost:8080')
  expect(() => originOf('http://w.example')).toThrow('https')
  expect(() => originOf('ftp://localhost')).toThrow('https')
  expect(() => originOf('nonsense')).toThrow('no address')
})
