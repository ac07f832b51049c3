// The golden pages: those that the site shows, and what a session without a
// browser made of them. A Go test writes them and keeps them fresh.

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
  /** What the page of a write shows afterwards. */
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

/** A path as the site sees it: the order of its parameters does not count, nor do empty ones and the first page. */
const same = (path: string): string => {
  const url = new URL(path, 'http://network.test')
  for (const [name, value] of [...url.searchParams]) if (value === '' || name === 'page' && value === '1') url.searchParams.delete(name, value)
  url.searchParams.sort()
  return decodeURI(url.pathname) + '?' + url.searchParams.toString()
}

/** What was asked of the network. */
export interface Asked {
  method: string
  path: string
  token: string | null
  body: string
}

/**
 * A network that answers as it did when the golden pages were made, redirects
 * included. What it was not asked then is an error.
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

  /** The last that was recorded counts. A write may name its target in another way. */
  private find(method: string, path: string): Exchange | undefined {
    return this.exchanges.findLast(e => e.method === method && (method === 'POST' || same(e.path) === same(path)))
  }
}
