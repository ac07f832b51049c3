// The golden pages: pages of the site, and the results of the headless session
// for them. A Go test writes them and checks that they are current.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TaskError, TaskType } from '../src/shared/protocol'

export interface Exchange {
  method: string
  path: string
  form?: Record<string, string[]>
  status: number
  location?: string
  page?: string
}

export interface Golden {
  name: string
  task_type: TaskType
  input: any
  requests: Exchange[]
  output?: any
  error?: TaskError
  /** The page after a write. */
  after?: Exchange
}

const file = (name: string) => readFileSync(join(import.meta.dirname, 'pages', name), 'utf8')

export const cases = JSON.parse(file('tasks.json')) as Golden[]

export const golden = (name: string): Golden => {
  const found = cases.find(c => c.name === name)
  if (!found) throw new Error(`no golden task "${name}"`)
  return found
}

export const html = (e: Exchange): string => file(e.page!)

/**
 * A path in the site's canonical form: parameters sorted, empty ones and the
 * first page left out.
 */
const same = (path: string): string => {
  const url = new URL(path, 'http://network.test')
  for (const [name, value] of [...url.searchParams]) if (value === '' || name === 'page' && value === '1') url.searchParams.delete(name, value)
  url.searchParams.sort()
  return decodeURI(url.pathname) + '?' + url.searchParams.toString()
}

/** A request to the network. */
export interface Asked {
  method: string
  path: string
  token: string | null
  body: string
}

/**
 * A network that answers with the recorded exchanges, redirects included. An
 * unrecorded request is an error.
 */
export class Network {
  readonly asked: Asked[] = []

  constructor(private readonly exchanges: Exchange[]) {}

  get posts(): Asked[] { return this.asked.filter(a => a.method === 'POST') }

  readonly fetch = async (input: string | URL, init?: RequestInit): Promise<Response> => {
    init?.signal?.throwIfAborted()
    const method = init?.method ?? 'GET'
    const { pathname, search } = new URL(input, 'http://network.test')
    this.asked.push({ method, path: pathname + search, token: new Headers(init?.headers).get('X-CSRF-Token'), body: String(init?.body ?? '') })
    let e = this.find(method, pathname + search)
    while (e?.location) e = this.find('GET', e.location)
    if (!e) throw new TypeError(`nobody answers ${method} ${pathname}${search}`)
    return new Response(html(e), { status: e.status, headers: { 'Content-Type': 'text/html; charset=utf-8' } })
  }

  /** The last recorded exchange counts. A write may name its target in another form. */
  private find(method: string, path: string): Exchange | undefined {
    return this.exchanges.findLast(e => e.method === method && (method === 'POST' || same(e.path) === same(path)))
  }
}
