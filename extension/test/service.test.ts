import { afterEach, expect, it, vi } from 'vitest'
import type { SignInReply } from '../src/shared/protocol'
import { linkTo, readLink } from '../src/shared/pairing_link'
import { Invited, networkOf, originOf, serviceAt, signIn } from '../src/ui/service'

afterEach(() => vi.unstubAllGlobals())

/** Makes the extension one for a network, "" for any. */
function builtFor(network: string) {
  vi.stubGlobal('NETWORK_ORIGIN', network)
  vi.stubGlobal('chrome', { i18n: { getMessage: (key: string, parts: string[]) => [key, ...parts].join(' ') } })
}

const reply = (network?: string): SignInReply => ({ session_token: 't', team: { id: 't', name: 'T' }, member: { id: 'm', email: 'm' }, ...network !== undefined && { network } })

it('takes the network that the service names', () => {
  builtFor('')
  expect(networkOf('https://w.test', reply('https://network.example/'))).toBe('https://network.example')
  expect(networkOf('https://w.test', reply('http://127.0.0.1:8090'))).toBe('http://127.0.0.1:8090')
  for (const none of [undefined, '', 'network.example', 'http://network.example', 'file:///etc']) expect(() => networkOf('https://w.test', reply(none))).toThrow('no_network w.test')
})

it('refuses another network than that of the build', () => {
  builtFor('https://network.example')
  expect(networkOf('https://w.test', reply('https://network.example'))).toBe('https://network.example')
  expect(networkOf('https://w.test', reply())).toBe('https://network.example') // an older service names none
  expect(() => networkOf('https://w.test', reply('https://other.example'))).toThrow('other_network other.example network.example')
})

it('works with one service where it is built for one network', () => {
  builtFor('https://network.example')
  vi.stubGlobal('SERVICE_ORIGIN', 'https://service.test')
  expect(serviceAt('https://service.test/')).toBe('https://service.test')
  expect(() => serviceAt('https://other.example')).toThrow('other_service service.test')
  builtFor('')
  expect(serviceAt('https://other.example')).toBe('https://other.example')
})

it('asks who has no team which invitation to accept', async () => {
  builtFor('')
  const invitations = [{ id: 'i1', team_name: 'Crew', invited_by: 'ada@example.com' }], sent: unknown[] = []
  vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
    sent.push(JSON.parse(body))
    return sent.length > 1
      ? Response.json(reply('https://network.example'))
      : Response.json({ error: 'No team for this email', invitations }, { status: 404 })
  })
  const refused = await signIn('https://w.test', { email: 'e', otp: '123456' }).catch((failure: unknown) => failure)
  expect(refused).toBeInstanceOf(Invited)
  expect((refused as Invited).invitations).toEqual(invitations)
  expect(await signIn('https://w.test', { email: 'e', otp: '123456', accept: 'i1' })).toEqual(reply('https://network.example'))
  expect(sent).toEqual([{ email: 'e', otp: '123456' }, { email: 'e', otp: '123456', accept: 'i1' }])
})

it('tells who has neither team nor invitation', async () => {
  builtFor('')
  vi.stubGlobal('fetch', async () => Response.json({ error: 'No team for this email', invitations: [] }, { status: 404 }))
  await expect(signIn('https://w.test', { email: 'e', otp: '123456' })).rejects.toThrow('no_team')
})

it('completes a typed address', () => {
  builtFor('')
  for (const [typed, origin] of Object.entries({
    'watch.example.com': 'https://watch.example.com', ' Watch.example.com:8443/app/team ': 'https://watch.example.com:8443', 'https://watch.example.com/': 'https://watch.example.com',
    'localhost:9090': 'http://localhost:9090', '127.0.0.1': 'http://127.0.0.1', 'https://localhost': 'https://localhost', 'http://a.localhost:80': 'http://a.localhost',
  })) expect(originOf(typed), typed).toBe(origin)
  for (const wrong of ['', 'two words', 'https://']) expect(() => originOf(wrong), wrong).toThrow('bad_address')
  for (const open of ['http://watch.example.com', 'ftp://watch.example.com']) expect(() => originOf(open), open).toThrow('insecure_address')
})

it('reads pairing links', () => {
  const link = linkTo('https://watch.example.com:8443', '7K3QX2M9PD')
  expect(link).toBe('https://watch.example.com:8443/app/pair#7K3QX2M9PD')
  const read = { service: 'https://watch.example.com:8443', code: '7K3QX2M9PD' }
  for (const text of [link, ` ${link}\n`, `ext+watchpost:${link}`]) expect(readLink(text), text).toEqual(read)
  for (const none of ['', '7K3QX2M9PD', 'https://watch.example.com/app/pair', 'https://watch.example.com/app/pair?x#', 'https://watch.example.com/#7K3QX2M9PD', 'https://watch.example.com/app/pair#<b>12345678</b>', 'javascript:/app/pair#7K3QX2M9PD'])
    expect(readLink(none), none).toBeUndefined()
})
