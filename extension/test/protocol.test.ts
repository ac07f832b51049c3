import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { isWrite, pageDecides, VERSION, type Account, type FromService, type FromSession, type Post, type SignInReply } from '../src/shared/protocol'
import { readFrame } from '../src/shared/schema'

// The frames that the service's own tests compare with its types.
const folder = new URL('../../internal/protocol/testdata/', import.meta.url)

const account: Account = { urn: 'urn:n:member:1', slug: 'ada', name: 'Ada', signed_in: true }
const post: Required<Post> = {
  urn: 'urn:n:post:7', url: 'https://network.example/posts/7', content: 'Grüße,\n<b>you</b> & 世界', author_name: 'Jane Doe',
  author_url: 'https://network.example/in/jane', author_urn: 'urn:n:member:3', author_headline: 'Engineer',
  author_image_url: 'https://network.example/media/3.svg', posted_at: '2030-01-09T12:00:00Z', likes_count: 3, comments_count: 2, shares_count: 1,
  post_type: 'image', image_urls: ['https://network.example/media/7.svg'], image_text: 'A chart', videos: ['https://network.example/media/7.mp4'],
}

const said: Record<string, FromSession> = {
  'hello': { type: 'hello', v: VERSION, token: 'secret', boot: 'b1', journal: 'j1', version: '1.0.0', account, browser: { name: 'Chromium', version: '131.0', os: 'linux', label: 'Ada\'s laptop' }, tasks: [{ task: 't1', lease: 'l1', attempt: 1, state: 'acting' }] },
  'heartbeat': { type: 'heartbeat', account: { ...account, signed_in: false }, running: [{ task: 't1', lease: 'l1' }] },
  'heartbeat-challenge': { type: 'heartbeat', account: { ...account, signed_in: false, challenge: true }, running: [{ task: 't1', lease: 'l1' }] },
  'heartbeat-pace': {
    type: 'heartbeat', account, running: [{ task: 't2', lease: 'l2' }], asking: ['t1'],
    pace: { hours: { from: '09:00', until: '17:30', days: ['monday', 'friday'], time_zone: 'Europe/Berlin' }, pause_s: { from: 60, until: 180 }, ask: true },
  },
  'accepted': { type: 'accepted', task: 't1', lease: 'l1' },
  'acting': { type: 'acting', task: 't1', lease: 'l1' },
  'bind': { type: 'bind', account: { urn: 'urn:n:member:2', slug: 'jan', name: 'Jan', signed_in: true } },
  'part': { type: 'part', task: 't1', lease: 'l1', attempt: 1, seq: 0, output: { posts: [post] } },
  'result': { type: 'result', task: 't1', lease: 'l1', attempt: 1, output: { posts: [], exhausted: true } },
  'result-error': { type: 'result', task: 't1', lease: 'l1', attempt: 2, error: { code: 'not_found', message: 'nobody', acted: false } },
  'result-unknown': { type: 'result', task: 't1', lease: 'l1', attempt: 1, error: { code: 'outcome_unknown', message: 'no answer', acted: null } },
  'result-slow-down': { type: 'result', task: 't1', lease: 'l1', attempt: 1, error: { code: 'network_limit', message: 'rate_limited of any', acted: false, slow_down: true } },
  'retry': { type: 'retry' },
  'released': { type: 'released', task: 't1', lease: 'l1', reason: 'deadline' },
}

const heard: Record<string, FromService> = {
  'welcome': { type: 'welcome', session: 's1', member: { id: 'm1', email: 'ada@example.com' }, heartbeat_s: 20, lease_s: 60, server_time: '2030-01-09T12:00:00Z' },
  'task': { type: 'task', task: 't1', lease: 'l1', attempt: 1, task_type: 'keyword_scan', input: { keyword: 'hiring', since: '2030-01-09T10:00:00Z' }, deadline: '2030-01-09T13:00:00Z' },
  'task-restored': {
    type: 'task', task: 't1', lease: 'l1', attempt: 1, task_type: 'agent_send_message', input: { recipient_urn: 'urn:n:member:3', message: 'hello' }, deadline: '2030-01-09T13:00:00Z', restored: true,
  },
  'status': {
    type: 'status', account,
    blocked: [{ reason: 'page_not_understood', task_types: ['agent_profile_fetch'], until: '2030-01-09T13:00:00Z' }, { reason: 'released' }, { reason: 'network_limit', task_types: ['agent_like_post'], until: '2030-01-09T13:00:00Z', retry: true }],
    waiting: 2, allowances: [{ action: 'like', used: 3, limit: 50, resets_at: '2030-01-09T23:00:00Z' }],
  },
  'status-other-account': { type: 'status', account: { ...account, signed_in: false }, blocked: [{ reason: 'other_account' }], waiting: 0, allowances: [] },
  'status-heartbeat': { type: 'status', blocked: [], waiting: 0, allowances: [], heartbeat_s: 120 },
  'go': { type: 'go', task: 't1', lease: 'l1' },
  'ack': { type: 'ack', task: 't1' },
  'ack-part': { type: 'ack', task: 't1', seq: 0 },
  'cancel': { type: 'cancel', task: 't1' },
  'revoked': { type: 'revoked' },
}

const bodies: Record<string, unknown> = {
  'poll': { messages: [said['accepted']!] } satisfies { messages: FromSession[] },
  'poll-reply': { messages: [heard['ack']!] } satisfies { messages: FromService[] },
  'sign-in': { session_token: 'secret', team: { id: 'team1', name: 'Team' }, member: { id: 'm1', email: 'ada@example.com' }, network: 'https://network.example' } satisfies SignInReply,
}

const all: Record<string, unknown> = { ...said, ...heard, ...bodies }

it.each(readdirSync(folder))('speaks of %s as the service does', file => {
  const frame: unknown = JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
  expect(frame).toEqual(all[file.replace(/\.json$/, '')])
})

it.each(Object.keys(heard))('reads all of %s', name => {
  expect(readFrame(heard[name])).toEqual(heard[name])
})

it('has no other frames', () => {
  expect(Object.keys(all).map(name => `${name}.json`).sort()).toEqual(readdirSync(folder).sort())
})

it('knows the writes, and those that the page alone decides', () => {
  expect(['agent_like_post', 'agent_comment_post', 'agent_profile_fetch', 'toString'].map(isWrite)).toEqual([true, true, false, false])
  expect(pageDecides('agent_like_post')).toBe(true)
  expect(pageDecides('agent_comment_post')).toBe(false)
})
