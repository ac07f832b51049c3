// Tools of adapters for sites that render in the browser. They wait for changes
// of the document and never ask at intervals, because browsers slow down the
// timers of background tabs.

import { Fault } from '../shared/fault'
import { notUnderstood } from '../network/markup'

/** What an adapter says of the page, as the document is at this moment. */
export type Sight =
  /** The page is still loading, or the document does not show the window's address yet. */
  | { is: 'loading' }
  /** Contents of a kind, complete except for the rest of lazy lists. */
  | { is: 'shown'; kind: string }
  /** A state instead of contents: signed out, a challenge, a limit, not found, a failed load. */
  | { is: 'fault'; fault: Fault }
  /** No layout that the adapter knows. */
  | { is: 'unknown'; what: string }

/** A list that loads more entries while one scrolls; the site states its end. */
export interface LazyList<E> {
  items: E[]
  /** Whether there are more. False only when the page says that this is the end, or that the list is empty. */
  more: boolean
}

/** Answer of a look at the document: a result, wait for a change, or fail if nothing changes. */
export type Looked<T> = { done: T } | 'wait' | { doubt: Fault }

/** Time limit for a page and for the next entries of a list, in milliseconds. */
const pageMs = 60_000
/** An unknown page that does not change for so long is taken as final, in milliseconds. */
const quietMs = 2000

/**
 * Looks at the document now and after each change until look has a result, and
 * resolves to it. Rejects with what look throws, with its doubt after quietMs
 * without a change, and with late() when the signal is aborted or the time is
 * over.
 */
export function until<T>(look: () => Looked<T>, late: () => Fault, signal?: AbortSignal, ms = pageMs): Promise<T> {
  return new Promise((resolve, reject) => {
    const limit = AbortSignal.timeout(ms)
    const ended = signal ? AbortSignal.any([signal, limit]) : limit
    let quiet: ReturnType<typeof setTimeout> | undefined
    const stop = () => {
      watch.disconnect()
      clearTimeout(quiet)
      ended.removeEventListener('abort', over)
    }
    const over = () => {
      stop()
      reject(late())
    }
    const check = () => {
      clearTimeout(quiet)
      try {
        const looked = look()
        if (looked === 'wait') return
        if ('done' in looked) {
          stop()
          resolve(looked.done)
        } else quiet = setTimeout(() => { stop(); reject(looked.doubt) }, quietMs)
      } catch (failure) {
        stop()
        reject(failure)
      }
    }
    const watch = new MutationObserver(check)
    if (ended.aborted) return over()
    ended.addEventListener('abort', over)
    watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
    check()
  })
}

/** The tab, as an adapter sees it. */
export class Screen {
  constructor(private readonly see: (page: Document) => Sight) {}

  /** What the page shows now; one that cannot be read is unknown. */
  private sight(): Sight {
    const sight = inDoubt(() => this.see(document))
    return 'doubt' in sight ? { is: 'unknown', what: sight.doubt.message } : sight
  }

  /**
   * Shows an address of the tab's origin, by the site's own routing, and waits
   * for contents of that kind. A state of the page is its fault.
   */
  async show(address: string, kind: string, signal?: AbortSignal): Promise<void> {
    const wanted = new URL(address, location.href)
    if (wanted.origin !== location.origin) throw notUnderstood(`${wanted.origin} from a page of ${location.origin}`)
    if (wanted.href !== location.href) {
      history.pushState(null, '', wanted.href)
      dispatchEvent(new PopStateEvent('popstate', { state: null }))
    }
    await this.shows(kind, signal)
  }

  /** Waits until the open page shows contents of that kind. */
  shows(kind: string, signal?: AbortSignal): Promise<void> {
    return until<void>(() => {
      const sight = this.sight()
      switch (sight.is) {
        case 'loading': return 'wait'
        case 'fault': throw sight.fault
        case 'unknown': return { doubt: notUnderstood(sight.what) }
        case 'shown':
          if (sight.kind !== kind) throw notUnderstood(`a page of kind "${sight.kind}" instead of "${kind}"`)
          return { done: undefined }
      }
    }, () => new Fault('timeout', 'the page did not load'), signal)
  }

  /** Scrolls until a list has that many entries or has ended. */
  scroll<L extends LazyList<unknown>>(read: () => L, wanted: number, signal?: AbortSignal): Promise<L> {
    return until(() => {
      const sight = this.sight()
      if (sight.is === 'fault') throw sight.fault
      if (sight.is === 'unknown') return { doubt: notUnderstood(sight.what) }
      if (sight.is === 'loading') return 'wait'
      const list = inDoubt(read)
      if ('doubt' in list) return list
      if (list.items.length >= wanted || !list.more) return { done: list }
      scrollToEnd()
      return 'wait'
    }, () => new Fault('timeout', 'the next entries of a list did not load'), signal)
  }

  /**
   * Presses a button and waits until shown finds the write in the page's
   * contents. refused throws the Fault of a refusal, or is true for one that
   * counts as done. If the page goes elsewhere, cannot be read or the time is
   * over, the write may have happened: the Fault is not sure.
   */
  press<T>(button: HTMLButtonElement, refused: () => boolean, shown: () => T | undefined): Promise<T | undefined> {
    if (button.disabled) throw new Fault('invalid_input', 'the page does not accept the input')
    const unsure = (what: string) => new Fault('timeout', what, false)
    button.click()
    return until(() => {
      const sight = this.sight()
      if (sight.is === 'loading') return 'wait'
      if (sight.is === 'fault') throw unsure(`the page changed before it showed the write: ${sight.fault.message}`)
      if (sight.is === 'unknown') return { doubt: unsure(`the page changed before it showed the write: ${sight.what}`) }
      if (refused()) return { done: undefined }
      const done = inDoubt(() => ({ shown: shown() }))
      if ('doubt' in done) return { doubt: unsure(`the page does not show the write: ${done.doubt.message}`) }
      return done.shown === undefined ? 'wait' : { done: done.shown }
    }, () => unsure('the page does not show the write'))
  }
}

/** What read returns; a page that it does not understand is a doubt, as it may change still. */
function inDoubt<T extends object>(read: () => T): T | { doubt: Fault } {
  try {
    return read()
  } catch (failure) {
    if (failure instanceof Fault && failure.code === 'page_not_understood') return { doubt: failure }
    throw failure
  }
}

/**
 * Scrolls to the end. A hidden tab renders nothing and has no scroll events of
 * its own, so one is sent.
 */
function scrollToEnd(): void {
  scrollTo(0, document.documentElement.scrollHeight)
  document.dispatchEvent(new Event('scroll', { bubbles: true }))
}
