import { afterEach, expect, it, vi } from 'vitest'
import type { SignInReply } from '../src/shared/protocol'
import { networkOf } from '../src/ui/service'

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
