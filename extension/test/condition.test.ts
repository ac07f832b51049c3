import { afterEach, describe, expect, it, vi } from 'vitest'
import { conditionOf, kinds, type Facts } from '../src/shared/condition'
import type { Blocked, Status } from '../src/shared/protocol'
import { readFrame, readSignIn } from '../src/shared/schema'
import type { State } from '../src/shared/state'
import { shown } from '../src/ui/condition_text'
import { ago } from '../src/ui/i18n'
import { originOf } from '../src/ui/service'
import { tellableBrowser, thisBrowser } from '../src/shared/browser'
import { account, start } from './fakes'
import { languages, speak } from './texts'

afterEach(() => vi.unstubAllGlobals())

const blocked = (...blocked: Blocked[]): Status => ({ type: 'status', account, blocked, waiting: 2, allowances: [] })
const fine: Facts = { paired: true, access: true, paused: false, connected: true, account, status: blocked(), working: false }
const until = '2030-01-09T16:00:00Z'

describe('the state', () => {
  const cases: [string, Partial<Facts>][] = [
    ['idle', {}],
    ['working', { working: true }],
    ['plan', { working: true, status: blocked({ reason: 'plan', task_types: ['people_scan'] }) }],
    ['released', { status: blocked({ reason: 'released' }) }],
    ['network_limit', { working: true, status: blocked({ reason: 'network_limit', task_types: ['keyword_scan'], until }) }],
    ['new_claim', { status: blocked({ reason: 'new_claim', until }, { reason: 'network_limit' }) }],
    ['page_not_understood', { status: blocked({ reason: 'network_limit' }, { reason: 'page_not_understood', task_types: ['keyword_scan'] }) }],
    ['member_pace', { status: blocked({ reason: 'member_pace', task_types: ['agent_like_post'], until }) }],
    ['working', { working: true, status: blocked({ reason: 'member_pace' }) }],
    ['asking', { working: true, askedSince: start, slowSince: start, status: blocked({ reason: 'page_not_understood' }) }],
    ['signed_out', { account: { ...account, signed_in: false }, askedSince: start }],
    ['slow', { working: true, slowSince: start, status: blocked({ reason: 'page_not_understood' }) }],
    ['signed_out', { account: { ...account, signed_in: false }, status: blocked({ reason: 'page_not_understood' }) }],
    ['idle', { status: blocked({ reason: 'signed_out' }) }], // this browser knows better, and reports it
    ['challenge', { account: { ...account, signed_in: false, challenge: true }, status: blocked({ reason: 'signed_out' }) }],
    ['challenge', { status: blocked({ reason: 'challenge' }) }],
    ['account_in_use', { status: blocked({ reason: 'account_in_use' }) }],
    ['other_account', { status: blocked({ reason: 'other_account' }) }],
    ['bind_refused', { status: blocked({ reason: 'other_account' }, { reason: 'account_in_use' }) }],
    ['connecting', { connected: false, account: { ...account, signed_in: false } }],
    ['unreachable', { connected: false, lostAt: start }],
    ['paused', { paused: true, connected: false, lostAt: start }],
    ['no_access', { paused: true, access: false }],
    ['replaced', { access: false, ended: 'replaced', connected: false }],
    ['unpaired', { paired: false, paused: true, connected: false }],
    ['revoked', { paired: false, ended: 'revoked', connected: false }],
  ]
  it.each(cases)('is %s', (kind, facts) => {
    expect(conditionOf({ ...fine, ...facts }).kind).toBe(kind)
  })

  it('is every one of them', () => {
    expect(new Set(['failed', ...cases.map(([kind]) => kind)])).toEqual(new Set(kinds))
  })

  it('says until when, and for which tasks', () => {
    const status = blocked({ reason: 'network_limit', task_types: ['keyword_scan'], until }, { reason: 'network_limit', task_types: ['agent_like_post'], until: '2030-01-09T15:30:00Z' })
    expect(conditionOf({ ...fine, status })).toEqual({ kind: 'network_limit', types: ['keyword_scan', 'agent_like_post'], until: Date.parse('2030-01-09T15:30:00Z') })
    expect(conditionOf({ ...fine, status: blocked({ reason: 'new_claim', task_types: ['x'] }, { reason: 'new_claim' }) })).toEqual({ kind: 'new_claim' })
    expect(conditionOf({ ...fine, status: blocked({ reason: 'network_limit', task_types: ['keyword_scan'] }, { reason: 'network_limit', task_types: ['agent_like_post'], retry: true }) })).toMatchObject({ kind: 'network_limit', retry: true })
    expect(conditionOf({ ...fine, working: true, slowSince: start })).toEqual({ kind: 'slow', since: start })
    expect(conditionOf({ ...fine, askedSince: start })).toEqual({ kind: 'asking', since: start })
    expect(conditionOf({ ...fine, paused: true, pausedUntil: start })).toEqual({ kind: 'paused', until: start })
    expect(conditionOf({ ...fine, connected: false, lostAt: start })).toEqual({ kind: 'unreachable', since: start })
  })
})

const state: State = {
  version: '1', network: 'https://network.example', pairing: { service: 'https://watchpost.example', team: { id: 't', name: 'T' }, member: { id: 'm', email: 'a@b.c' } },
  condition: { kind: 'idle' }, paused: false, writes: {}, pace: 0, account: { ...account, name: 'Jan' }, bound: account, waiting: 3, allowances: [], deeds: [], skippable: true,
}

describe.each(languages)('in %s', language => {
  it.each(kinds)('the state %s is said in words', kind => {
    speak(language)
    const said = shown({ ...state, condition: { kind, since: start, until: start + 3600_000, types: ['keyword_scan', 'agent_like_post'] } }, start)
    for (const text of [said.pill, said.sentence, said.button?.label ?? 'none', said.bind ?? 'none']) {
      expect(text).not.toBe('')
      expect(text).not.toMatch(/\$\d|undefined|^(say|pill|do)_|keyword_scan|agent_like_post/)
    }
    expect(said.pill.length).toBeLessThanOrEqual(24)
  })
})

it('names accounts, times and tasks', () => {
  speak('en')
  const say = (condition: State['condition']) => shown({ ...state, condition }, start)
  expect(say({ kind: 'other_account' })).toMatchObject({
    sentence: 'You are signed in as Jan, but Watchpost works as Ada. Nothing is done as Jan.', button: { does: 'sign_in' }, bind: 'Work as Jan instead', tone: 'bad',
  })
  expect(say({ kind: 'network_limit', types: ['keyword_scan', 'forum_scan'], since: start, until: start + 3600_000 })).toMatchObject({
    sentence: 'For now, the network allows no more of this: post searches and forum searches. Everything else goes on.',
    details: [expect.stringMatching(/^Since /), expect.stringMatching(/^until /), 'Waiting tasks: 3'] as string[],
  })
  expect(say({ kind: 'network_limit', types: ['keyword_scan'], retry: true }).button).toEqual({ does: 'retry', label: 'Retry now' })
  expect(say({ kind: 'network_limit', types: ['keyword_scan'] }).button).toBeUndefined() // the network has named its limit
  expect(say({ kind: 'unreachable' }).button).toEqual({ does: 'retry', label: 'Retry now' })
  expect(say({ kind: 'slow', since: start })).toMatchObject({ tone: 'wait', button: { does: 'skip', label: 'Skip' }, details: [expect.stringMatching(/^Since /), 'Waiting tasks: 3'] as string[] })
  expect(shown({ ...state, skippable: false, condition: { kind: 'slow' } }, start).button).toBeUndefined()
  expect(say({ kind: 'paused', until: start }).sentence).toBe("Nothing is done for now. Your team's tasks wait.")
  expect(say({ kind: 'unreachable', since: start }).sentence).toContain('watchpost.example does not answer')
  expect(shown({ failed: 'no room' }, start)).toMatchObject({ sentence: 'The extension did not start: no room', button: { does: 'restart' } })
  expect(shown(undefined, start).tone).toBe('bad')
})

it('says how long ago something was', () => {
  speak('en')
  expect([0, 5 * 60_000, 3 * 3600_000, 86_400_000].map(ms => ago(start - ms, start))).toEqual(['now', '5m ago', '3h ago', 'yesterday'])
  speak('de')
  expect(ago(start, start)).toBe('jetzt')
  speak('ar')
  expect(ago(start - 86_400_000, start)).toBe('أمس')
})

it('ignores frames of another shape', () => {
  expect(readFrame({ type: 'go', task: 't', lease: 'l', more: 1 })).toEqual({ type: 'go', task: 't', lease: 'l' })
  expect(readFrame({ type: 'status' })).toEqual({ type: 'status', blocked: [], waiting: 0, allowances: [] })
  for (const raw of [null, 'go', {}, { type: 'dance' }, { type: 'go', task: 7, lease: 'l' }, { type: 'task', task: '', lease: 'l', attempt: 1, task_type: 'x', input: {} },
    { type: 'status', blocked: 'all' }, { type: 'status', allowances: [{ action: 'like', used: '3' }] }]) expect(readFrame(raw), JSON.stringify(raw)).toBeUndefined()
  expect(readSignIn({ session_token: 's', team: { id: 't' }, member: { id: 'm', email: 'e' } })).toBeUndefined()
})

it('sends tokens over secure connections only', () => {
  speak('en')
  expect(originOf(' https://w.example/some/page?x ')).toBe('https://w.example')
  expect(originOf('http://127.0.0.1:8080/')).toBe('http://127.0.0.1:8080')
  expect(originOf('http://localhost:8080')).toBe('http://localhost:8080')
  expect(() => originOf('http://w.example')).toThrow('https')
  expect(() => originOf('ftp://localhost')).toThrow('https')
  expect(() => originOf('no address')).toThrow('not an address')
})

it('names the browser only where the member lets it', async () => {
  vi.stubGlobal('navigator', { userAgent: 'Firefox/140.0' })
  const agreed = (data_collection?: string[]) => vi.stubGlobal('chrome', { permissions: { getAll: async () => ({ permissions: [], ...data_collection && { data_collection } }) } })
  agreed() // Chromium has no such choice
  expect(await tellableBrowser()).toEqual(thisBrowser())
  agreed(['personallyIdentifyingInfo', 'technicalAndInteraction'])
  expect(await tellableBrowser()).toEqual(thisBrowser())
  agreed(['personallyIdentifyingInfo'])
  expect(await tellableBrowser()).toBeUndefined()
})

it('describes the browser', () => {
  const brands = [{ brand: 'Not(A:Brand', version: '24' }, { brand: 'Chromium', version: '140' }, { brand: 'Google Chrome', version: '140' }]
  expect(thisBrowser({ userAgentData: { brands, platform: 'Linux' }, userAgent: '' })).toEqual({ name: 'Google Chrome', version: '140', os: 'Linux', label: 'Google Chrome (Linux)' })
  expect(thisBrowser({ userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' })).toMatchObject({ name: 'Firefox', version: '140.0', os: 'X11; Linux' })
})
