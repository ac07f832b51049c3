import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
// @ts-expect-error -- a program without types
import { isRight } from '../mutations.mjs'

interface Saved { file: string; url: string; read: string; of: unknown; result?: unknown; error?: string; writes?: unknown[] }

const saved = (variant: string) => JSON.parse(readFileSync(`test/saved/${variant}/pages.json`, 'utf8')) as { adapter: string; pages: Saved[] }

/** Runs adapter.mjs. */
function run(...args: string[]): { failed: boolean; output: string } {
  try {
    return { failed: false, output: execFileSync(process.execPath, ['adapter.mjs', ...args], { encoding: 'utf8', stdio: 'pipe', maxBuffer: 64 << 20 }) }
  } catch (failure) {
    return { failed: true, output: String((failure as { stdout?: unknown }).stdout) }
  }
}

it('are read as expected', () => {
  const { failed, output } = run('check', 'test/saved/server', 'test/saved/single_page')
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

it('are read right, or not understood, after any change', () => {
  const { failed, output } = run('change', '--most', '0.25', 'test/saved/server', 'test/saved/single_page')
  expect(failed, output).toBe(false)
  const tried = [...output.matchAll(/: (\d+) changes$/gm)].reduce((sum, [, n]) => sum + Number(n), 0)
  expect(tried).toBeGreaterThan(600)
}, 600_000)

// The judge of that test.
it('are right only as before, or as the change itself says', () => {
  const was = { name: 'Ann Lee', headline: 'Cook', skills: ['Soup', 'Bread'], jobs: [{ current: true, end: 0 }] }
  const plain = { asked: [] as [string, string][], moves: false }
  expect(isRight(was, structuredClone(was), plain)).toBe(true)
  for (const is of [
    { ...was, headline: '(he/him)' }, { ...was, name: 'Ann Lee✓' }, { ...was, skills: ['Soup'] }, { ...was, skills: ['Soup', 'Bread', 'Show all 8 skills'] },
    { ...was, jobs: [{ current: false, end: 0 }] }, { ...was, skills: ['Bread', 'Soup'] }, { ...was, more: 1 },
  ]) expect(isRight(was, is, plain)).toBe(false)
  expect(isRight(was, { ...was, skills: ['Bread', 'Soup'] }, { ...plain, moves: true })).toBe(true)
  expect(isRight(was, { ...was, name: 'Cook', headline: 'Ann Lee' }, { ...plain, moves: true })).toBe(false)
  const asked: [string, string][] = [['Cook', 'kooC']]
  expect(isRight(was, { ...was, headline: 'kooC' }, { ...plain, asked })).toBe(true)
  expect(isRight(was, { ...was, headline: 'kooC', jobs: [{ current: false, end: 0 }] }, { ...plain, asked })).toBe(false)
})

type Change = [file: string, change: (html: string) => string, told: string]

// What a changed page must be told as: never less than it shows.
const browserChanges: Change[] = [
  ['profile-a', html => html.replace('<main aria-label="Profile"', '<div aria-label="Profile"').replace('</main>', '</div>'), 'page_not_understood: a page of no known layout'],
  ['profile-a', html => html.replace('aria-label="Experience"', 'aria-label="Career"'), 'page_not_understood: no :scope > section[aria-label="Experience"] in main[aria-label="Profile"]'],
  ['profile-b', html => html.replace('<td title="Place">Toronto, Canada</td>', ''), 'page_not_understood: no :scope > [title="Place"] in tr'],
  ['profile-a', html => html.replace(/ followers?</, ' fans<'), 'page_not_understood: "6\u202f498 fans" is no number of followers'],
  ['profile-a', html => html.replace('name="note"', 'name="text"'), 'page_not_understood: a relation of 0 kinds'],
  ['profile-a', html => html.replace('</h1><p title="Headline">', '</h1><p title="Headline">(he/him)</p><p title="Headline">'), 'page_not_understood: 2 instead of 1 :scope > p[title="Headline"] in section[aria-label="Person"]'],
  ['profile-a', html => html.replace('</h1>', '<span title="Verified">✓</span></h1>'), 'page_not_understood: span in the text of h1'],
  ['profile-a', html => html.replace('<p title="Headline">', '<div title="Headline">').replace('</p><p title="Location"', '</div><p title="Location"'), 'page_not_understood: no :scope > p[title="Headline"] in section[aria-label="Person"]'],
  ['profile-b', html => html.replace('<dt class="xf43298e">Location', '<dt>Pronouns</dt><dd>he/him</dd><dt class="xf43298e">Location'), 'page_not_understood: other terms than Headline, Location'],
  ['profile-a', html => html.replace(' – today', ' – heute'), 'page_not_understood: "Sept 2016 – heute" is no span of time'],
  ['profile-b', html => html.replace(/(<section[^>]*"Skills".*?)<\/ul>/, '$1<li><a href="/all">Show all 8 skills</a></li></ul>'), 'page_not_understood: 9 of 8 li in ul'],
  ['profile-b', html => html.replace('<li>Lean</li>', ''), 'page_not_understood: 7 of 8 li in ul'],
  ['company-b', html => html.replace(/<dd>[^<]*<\/dd>/g, ''), 'page_not_understood: other terms than Industry, Headquarters'],
  ['company-a', html => html.replace('/media/companies/1000728.svg" alt=""><h1', '/media/1.png" alt=""><h1'), 'page_not_understood: a picture of nobody'],
  ['posts-a', html => html.replace(/<time datetime="[^"]*"/, '<time datetime="last week"'), 'page_not_understood: "last week" is no time'],
  ['posts-a', html => html.replace('#CustomerSuccess</div>', '#CustomerSuccess<button>… see more</button></div>'), 'page_not_understood: button in the text of div'],
  ['posts-b', html => html.replace(/<footer/g, '<div').replace(/<\/footer>/g, '</div>'), 'page_not_understood: no :scope > footer in div[aria-label="Post with 1 picture"]'],
  ['posts-b', html => html.replace('>Cedar Robotics</a><small', '>Cedar Robotics<span> • Following</span></a><small'), 'page_not_understood: span in the text of a'],
  ['search-a', html => html.replace('aria-label="Promoted"', 'aria-label="Post"'), 'page_not_understood: 4 of 3 article in div[aria-label="Posts"]'],
  ['search-b', html => html.replace(/<div[^>]*aria-label="Post".*?<\/footer><\/div>/s, ''), 'page_not_understood: 2 of 3 [role="article"] in div[aria-label="Posts"]'],
  ['no-posts-a', html => html.replace('Nothing was found.', 'That is all.'), 'page_not_understood: a list whose end does not fit its entries'],
  ['no-posts-b', html => html.replace(/<p role="status">[^<]*<\/p>/, ''), 'page_not_understood: no :scope > div:last-of-type >'],
  ['people-a', html => html.replaceAll('>3rd<', '>far<'), 'page_not_understood: a person at an unknown distance'],
  ['people-b', html => html.replace('Zoë Kaya', 'Zoe Kaya'), 'result.people.0.name: expected "Zoë Kaya", read "Zoe Kaya"'],
  ['people-b', html => html.replace('13 of 13 people', '13 of 25 people'), 'page_not_understood: a list whose end does not fit its entries'],
  ['post-b', html => html.replaceAll('aria-checked', 'aria-on'), 'page_not_understood: button[role="switch"] without aria-checked'],
  ['post-a', html => html.replace('aria-label="Comments"', 'aria-label="Replies"'), 'page_not_understood: no :scope > [aria-label="Comments"] in main[aria-label="Post"]'],
  ['post-a', html => html.replace(/(id="comment-70000219120104191161".*?<\/li>).*?<\/ul>/s, '$1</ul>'), 'page_not_understood: 2 of 5 li in ul[aria-label="Comments"]'],
  ['post-a', html => html.replace('Comments (5 of 5)', 'Comments (5 of 7)'), 'page_not_understood: the number of comments: "7" does not fit "5"'],
  ['no-thread-a', html => html.replace('You can write to your connections only.', 'Not now.'), 'page_not_understood: neither a form nor a reason'],
  ['challenge', html => html.replace('aria-label="Security check"', ''), 'page_not_understood: a page of no known layout (expected challenge)'],
  ['thread-a', html => html.replace(/<link rel="canonical"[^>]*>/, ''), 'timeout: the adapter waits: it takes the page for one that is still loading'],
]

const serverChanges: Change[] = [
  ['profile', html => html.replace(' – today', ' – heute'), 'page_not_understood: "Sep 2016 – heute" is no span of time'],
  ['profile', html => html.replace('data-current="true"', 'data-current="false"'), 'page_not_understood: the end of a job: "true" does not fit "false"'],
  ['profile', html => html.replace('</h1>', '<span class="badge">Premium</span></h1>'), 'page_not_understood: span[class="badge"] in the text of h1[class="name"]'],
  ['profile', html => html.replace('<p class="headline">', '<p class="headline">(he/him)</p><p class="headline">'), 'page_not_understood: 2 instead of 1 .headline in section[class="profile"]'],
  ['profile', html => html.replace('<li>Lean</li>', ''), 'page_not_understood: 7 of 8 li in ul[class="skills chips"]'],
  ['profile', html => html.replace('<li>Lean</li>', '<li>Lean</li><li><a href="/all">Show all 8 skills</a></li>'), 'page_not_understood: 9 of 8 li in ul[class="skills chips"]'],
  ['post', html => html.replace(/(<li class="comment" data-urn="urn:network:comment:70000219120104191161".*?<\/li>).*?<\/ul>/s, '$1</ul>'), 'page_not_understood: 2 of 5 li.comment in ul[class="plain comments"]'],
  ['post', html => html.replace(' aria-pressed="true"', ''), 'page_not_understood: button[id="like-7000021912010419116-8982307516"] without aria-pressed'],
  ['post', html => html.replace('data-write="unlike"', 'data-write="like"'), 'page_not_understood: the state of a like: "true" does not fit "false"'],
  ['posts', html => html.replace('Link in the comments.', 'Link in the <a href="#">… see more</a>'), 'page_not_understood: a in the text of div[class="content"]'],
  ['posts', html => html.replace('>Cedar Robotics</a>', '>Cedar Robotics <span>• Following</span></a>'), 'page_not_understood: span in the text of a[class="name"]'],
  ['search', html => html.replace(' data-promoted=""', ''), 'page_not_understood: 4 of 3 article.post in div[class="list"]'],
]

for (const [variant, changes] of [['server', serverChanges], ['single_page', browserChanges]] as const) {
  it(`of the variant ${variant} fail with the reason when they have changed`, () => {
    const dir = mkdtempSync(join(tmpdir(), 'watchpost-pages-'))
    const { adapter, pages } = saved(variant)
    const list = changes.map(([file, change], n) => {
      const { writes: _, ...page } = pages.find(one => one.file === `${file}.html`)!
      const before = readFileSync(`test/saved/${variant}/${page.file}`, 'utf8')
      expect(change(before), `change ${n} of ${file}`).not.toBe(before)
      writeFileSync(join(dir, `${n}.html`), change(before))
      return { ...page, file: `${n}.html` }
    })
    writeFileSync(join(dir, 'pages.json'), JSON.stringify({ adapter, pages: list }))
    const { failed, output } = run('check', dir)
    rmSync(dir, { recursive: true })
    expect(failed).toBe(true)
    const told = output.split(/^(?=FAIL|ok )/m)
    changes.forEach(([file, , why], n) => expect.soft(told[n], file).toContain(why))
    expect(output).toContain(`${changes.length} saved pages are not read as expected`)
  })
}
