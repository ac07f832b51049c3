import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'

interface Saved { file: string; url: string; read: string; of: unknown; result?: unknown; error?: string }

const saved = (variant: string) => JSON.parse(readFileSync(`test/saved/${variant}/pages.json`, 'utf8')) as { adapter: string; pages: Saved[] }
const dir = mkdtempSync(join(tmpdir(), 'watchpost-pages-'))
afterAll(() => { rmSync(dir, { recursive: true }) })

/** Runs adapter.mjs check. */
function check(...folders: string[]): { failed: boolean; output: string } {
  try {
    return { failed: false, output: execFileSync(process.execPath, ['adapter.mjs', 'check', ...folders], { encoding: 'utf8', stdio: 'pipe' }) }
  } catch (failure) {
    return { failed: true, output: String((failure as { stdout?: unknown }).stdout) }
  }
}

it('are read as expected', () => {
  const { failed, output } = check('test/saved/server', 'test/saved/single_page')
  expect(failed, output).toBe(false)
})

it('say the same on both variants of the site', () => {
  const browser = saved('single_page').pages
  for (const page of saved('server').pages) {
    const name = page.file.replace('.html', '')
    const same = browser.find(one => one.file === `${name}-a.html` || one.file === page.file)
    expect({ result: same?.result, error: same?.error }, name).toEqual({ result: page.result, error: page.error })
  }
})

// What a changed page must be told as: never less than it shows.
const changes: [file: string, change: (html: string) => string, told: string][] = [
  ['profile-a', html => html.replace('<main aria-label="Profile"', '<div aria-label="Profile"').replace('</main>', '</div>'), 'page_not_understood: a page of no known layout'],
  ['profile-a', html => html.replace('aria-label="Experience"', 'aria-label="Career"'), 'page_not_understood: no section[aria-label="Experience"]'],
  ['profile-b', html => html.replace('<td>Toronto, Canada</td>', ''), 'page_not_understood: a job in another form'],
  ['profile-a', html => html.replace(/ followers?</, ' fans<'), 'page_not_understood: no number of followers'],
  ['profile-a', html => html.replace('name="note"', 'name="text"'), 'page_not_understood: a relation of 0 kinds'],
  ['company-b', html => html.replace(/<dd>[^<]*<\/dd>/g, ''), 'page_not_understood: a company without industry and place'],
  ['company-a', html => html.replace('/media/companies/1000728.svg" alt=""><h1', '/media/1.png" alt=""><h1'), 'page_not_understood: a picture of nobody'],
  ['posts-a', html => html.replace(/<time datetime="[^"]*"/, '<time datetime="last week"'), 'page_not_understood: "last week" is no time'],
  ['posts-b', html => html.replace(/<footer/g, '<div').replace(/<\/footer>/g, '</div>'), 'page_not_understood: nobody wrote it'],
  ['no-posts-a', html => html.replace('Nothing was found.', 'That is all.'), 'page_not_understood: a list whose end does not fit its entries'],
  ['no-posts-b', html => html.replace(/<p role="status">[^<]*<\/p>/, ''), 'page_not_understood: a list without an end'],
  ['people-a', html => html.replaceAll('>3rd<', '>far<'), 'page_not_understood: a person at an unknown distance'],
  ['people-b', html => html.replace('Zoë Kaya', 'Zoe Kaya'), 'result.people.0.name: expected "Zoë Kaya", read "Zoe Kaya"'],
  ['post-b', html => html.replace('role="switch"', '').replaceAll('aria-checked', 'aria-on'), 'page_not_understood: no button to like the post'],
  ['post-a', html => html.replace('aria-label="Comments"', 'aria-label="Replies"'), 'page_not_understood: neither comments nor that there are none'],
  ['no-thread-a', html => html.replace('You can write to your connections only.', 'Not now.'), 'page_not_understood: neither a form nor a reason'],
  ['challenge', html => html.replace('aria-label="Security check"', ''), 'page_not_understood: a page of no known layout (expected challenge)'],
  ['thread-a', html => html.replace(/<link rel="canonical"[^>]*>/, ''), 'timeout: the adapter waits: it takes the page for one that is still loading'],
]

it('fail with the reason when they have changed', () => {
  const { adapter, pages } = saved('single_page')
  const list = changes.map(([file, change], n) => {
    const page = pages.find(one => one.file === `${file}.html`)!
    const before = readFileSync(`test/saved/single_page/${page.file}`, 'utf8')
    expect(change(before), `change ${n} of ${file}`).not.toBe(before)
    writeFileSync(join(dir, `${n}.html`), change(before))
    return { ...page, file: `${n}.html` }
  })
  writeFileSync(join(dir, 'pages.json'), JSON.stringify({ adapter, pages: list }))
  const { failed, output } = check(dir)
  expect(failed).toBe(true)
  const told = output.split(/^(?=FAIL|ok )/m)
  changes.forEach(([file, , why], n) => expect(told[n], file).toContain(why))
  expect(output).toContain(`${changes.length} saved pages are not read as expected`)
})
