import type { Account } from '../shared/protocol'
import { dataIn } from './data'

/** Who is signed in by the answer to accountPath: see Addresses in adapter.ts. */
export function accountIn(status: number, html: string): Account | undefined {
  if (status >= 500) return undefined
  const block = /<script type="application\/json" id="page-data">(.*?)<\/script>/s.exec(html)?.[1]
  try {
    const data = dataIn(block)
    if (data.viewer) return { urn: data.viewer.urn, slug: data.viewer.slug, name: data.viewer.name, signed_in: true }
    if (data.kind === 'sign_in' || data.kind === 'challenge') return { urn: '', slug: '', name: '', signed_in: false }
  } catch { /* an unknown form tells nothing */ }
  return undefined
}
