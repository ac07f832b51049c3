import { describe, expect, it, vi } from 'vitest'
import type { Pages, Profile } from '../src/network/adapter'
import type { FromPage } from '../src/shared/messages'
import { PageAgent } from '../src/page/agent'
import { Fault } from '../src/shared/fault'

const jane: Profile = {
  urn: 'urn:n:member:7', slug: 'jane', url: 'http://network.test/in/jane', name: 'Jane', headline: 'Engineer', location: 'Bern', about: '',
  connections: 3, followers: 4, education: [], skills: ['Go'], relation: 'none',
  positions: [{ title: 'Engineer', company_name: 'Acme', company_slug: 'acme', location: 'Bern', start_year: 2020, start_month: 2, end_year: 0, end_month: 0, is_current: true }],
}

/** An agent on given pages, and the messages that it sends. */
function agentOn(pages: Partial<Pages>) {
  const told: FromPage[] = []
  const agent = new PageAgent(() => pages as Pages, async m => { told.push(m); return true })
  return { agent, told }
}

describe('a read', () => {
  it('reports its output and the signed-in account', async () => {
    const account = { urn: 'urn:n:member:1', slug: 'ada', name: 'Ada', signed_in: true }
    const { agent, told } = agentOn({ account, profile: async () => jane })
    agent.start('t1', 'r1', 'agent_profile_fetch', { profile_slug: 'jane' }, 'urn:n:member:1')
    expect(agent.busy('t1')).toBe(true)
    await vi.waitFor(() => expect(agent.busy('t1')).toBe(false))
    expect(told).toHaveLength(1)
    expect(told[0]).toMatchObject({ type: 'outcome', task: 't1', run: 'r1', parts: 0, account, output: { name: 'Jane', profile: { positions: [{ company_name: 'Acme' }] } } })
    expect(told[0]).not.toHaveProperty('output.profile.positions.0.company_slug')
  })

  it('reports its fault, which touched nothing', async () => {
    const { agent, told } = agentOn({ profile: async () => { throw new Fault('not_found', 'the network does not know it') } })
    agent.start('t1', 'r1', 'agent_profile_fetch', { profile_slug: 'nobody' }, 'urn:n:member:1')
    await vi.waitFor(() => expect(told).toHaveLength(1))
    expect(told[0]).toMatchObject({ error: { code: 'not_found', acted: false } })
  })
})

describe('an unknown task type', () => {
  it('is invalid input', async () => {
    const { agent, told } = agentOn({})
    agent.start('t1', 'r1', 'agent_dance' as never, {}, 'urn:n:member:1')
    await vi.waitFor(() => expect(told).toHaveLength(1))
    expect(told[0]).toMatchObject({ error: { code: 'invalid_input', acted: false } })
    expect(await agent.look('agent_dance' as never, {})).toMatchObject({ error: { code: 'invalid_input' } })
  })
})
