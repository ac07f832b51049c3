import type { Pages } from '../src/network/adapter'
import { PageAgent } from '../src/page/agent'
import { BrowserTabs } from '../src/worker/tabs'
import { MemoryStore } from './fakes'

type Place = 'tab' | 'minimised'

/** How a tab behaves: a frozen one answers nothing. */
interface Behaviour {
  frozen?: boolean
  /** It freezes when its task has started. */
  freezesAtStart?: boolean
  loads?: boolean
}

interface Tab {
  id: number
  url: string
  status: string
  agent?: PageAgent
  frozen: boolean
  freezesAtStart: boolean
}

/** A browser with a network's pages. It freezes some of them. It becomes globalThis.chrome. */
export class FakeBrowser {
  /** Where tabs were opened, in order. */
  opened: Place[] = []
  /** Decides how the nth tab behaves. */
  behaves: (place: Place, nth: number) => Behaviour = () => ({})
  readonly tabs = new BrowserTabs(() => 'http://network.test', () => 'server')
  private open = new Map<number, Tab>()

  constructor(private readonly pages: () => Partial<Pages>) {}

  get openTabs(): number { return this.open.size }

  readonly chrome = {
    runtime: { getManifest: () => ({}) },
    storage: { session: new MemoryStore() },
    tabGroups: { update: async () => {} },
    tabs: {
      create: async ({ url }: { url: string }) => this.add(url, 'tab'),
      get: async (id: number) => this.tab(id),
      group: async () => 1,
      remove: async (id: number) => {
        this.open.delete(id)
        await this.tabs.removed(id)
      },
    },
    windows: { create: async ({ url }: { url: string }) => ({ tabs: [this.add(url, 'minimised')] }) },
    scripting: {
      executeScript: async ({ target, func, args }: { target: { tabId: number }; func?: (...a: unknown[]) => unknown; args?: unknown[] }) => {
        const tab = this.tab(target.tabId)
        if (tab.frozen) return new Promise(() => {})
        if (!func) {
          tab.agent = new PageAgent(() => this.pages() as Pages, m => this.tabs.hear(m, tab.id))
          return []
        }
        globalThis.pageAgent = tab.agent
        const answer = func(...args!)
        if (args![0] === 'start' && tab.freezesAtStart) {
          tab.frozen = true
          return new Promise(() => {})
        }
        return [{ result: await answer }]
      },
    },
  }

  private add(url: string, place: Place): Tab {
    const id = this.opened.push(place)
    const { frozen = false, freezesAtStart = false, loads = true } = this.behaves(place, id)
    const tab: Tab = { id, url, status: loads ? 'complete' : 'loading', frozen, freezesAtStart }
    this.open.set(tab.id, tab)
    return tab
  }

  private tab(id: number): Tab {
    const tab = this.open.get(id)
    if (!tab) throw new Error('no such tab')
    return tab
  }
}
