/** Markdown as HTML: what it becomes, and that nothing that was written runs, fetches or passes for the page around it. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { watchSandboxJobs } from '../../../../test/support/sandbox-jobs.ts'
import { renderProse } from './markdown.service.ts'
import { render as renderHere } from './render.ts'
import { openRenderer } from './renderer.ts'

let forge: Forge
let ada: TestUser

beforeAll(async () => {
  forge = await testForge()
  ada = await forge.user()
})

const render = (body: unknown, user: TestUser = ada) => forge.as(user).post('/markdown', body)

describe('POST /markdown', () => {
  test('gives HTML, with emoji only where they are asked for', async () => {
    const plain = await render({ text: '# Hello :tada:\n\nIt *works*' })
    expect([plain.status, plain.body]).toEqual([201, { html: '<h1>Hello :tada:</h1>\n<p>It <em>works</em></p>' }])
    const { body } = await render({ text: 'Hello world! :tada: `:tada:`', gfm: true })
    const emoji = '<span title="party popper" data-name="tada">🎉</span>'
    expect(body).toEqual({ html: `<p dir="auto">Hello world! ${emoji} <code>:tada:</code></p>` })
  })

  test('resolves references within the project', async () => {
    const project = await forge.project({ owner: ada })
    const text = [
      '[file](docs/a.md) [up](./b.md#x) ![image](logo.png) ![upload](/uploads/0123456789abcdef0123456789abcdef/a.png)',
      '[part](#part) [root](/other) [else](https://example.com/a) [odd](//example.com/a)',
    ].join('\n')
    const { body } = await render({ text, gfm: true, project: project.full_path })
    const home = `http://gitstead.test/${project.full_path}`
    const addresses = [...body.html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address)
    expect(addresses).toEqual([
      `${home}/blob/main/docs/a.md`,
      `${home}/blob/main/b.md#x`,
      `${home}/raw/main/logo.png`,
      `${home}/uploads/0123456789abcdef0123456789abcdef/a.png`,
      '#part',
      '/other',
      'https://example.com/a',
    ])
  })

  test('reveals nothing of a project the caller can’t see', async () => {
    const hidden = await forge.project()
    for (const project of [hidden.full_path, 'no/such', String(hidden.id), 'a/../b']) {
      const { status, body } = await render({ text: 'x', project })
      expect([project, status, body]).toEqual([project, 404, { message: '404 Project Not Found' }])
    }
    const guarded = await forge.project({ guest: ada })
    const { body } = await render({ text: '[x](y)', gfm: true, project: guarded.full_path })
    expect(body.html).toContain('href="y"')
  })

  test.each([
    [{}, 400, { error: 'text is missing' }],
    [{ text: ['x'] }, 400, { error: 'text is invalid' }],
    [{ text: 'a\0b' }, 400, { error: 'text is invalid' }],
    [{ text: 'x', gfm: 'perhaps' }, 400, { error: 'gfm is invalid' }],
    [{ text: 'x'.repeat(64 * 1024 + 1) }, 413, { error: '413 Request Entity Too Large' }],
  ])('refuses what it can’t render: %#', async (body, status, refusal) => {
    const answer = await render(body)
    expect([answer.status, answer.body]).toEqual([status, refusal])
  })

  test('renders empty text, and text up to the limit', async () => {
    expect((await render({ text: '' })).body).toEqual({ html: '' })
    expect((await render({ text: 'x'.repeat(64 * 1024) })).status).toBe(201)
  })

  test('is open to anybody: references resolve only in public projects', async () => {
    const [open, hidden] = [await forge.project({ visibility: 'public' }), await forge.project({ owner: ada })]
    const send = (project: string) => forge.anonymous.post('/markdown', { text: '[a](b.md)', gfm: true, project })
    const shown = await send(open.full_path)
    expect([shown.status, shown.body.html]).toEqual([201, expect.stringContaining(`/${open.full_path}/blob/main/b.md`)])
    for (const project of [hidden.full_path, 'no/such'])
      expect(await send(project)).toMatchObject({ status: 404, body: { message: '404 Project Not Found' } })
    const wrong = await forge.anonymous.post('/markdown', { text: 'x', private_token: 'gst-wrong' })
    expect(wrong.status).toBe(401)
    const named = await forge.anonymous.post('/markdown', {
      text: '[a](b.md)',
      gfm: true,
      project: hidden.full_path,
      private_token: ada.token,
    })
    expect(named.status).toBe(201)
  })

  test('limits anonymous callers per network, apart from users', async () => {
    const send = (address: string) => forge.anonymous.post('/markdown', { text: 'x' }, { headers: { 'x-forwarded-for': address } })
    const statuses: number[] = []
    for (let index = 0; index < 31; index += 1) statuses.push((await send(`2001:db8::${index}`)).status)
    expect([new Set(statuses.slice(0, 30)), statuses[30]]).toEqual([new Set([201]), 429])
    const refused = await send('2001:db8::99')
    expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true])
    expect((await send('2001:db8:1::1')).status).toBe(201)
    expect((await render({ text: 'x' })).status).toBe(201)
  })
})

test('Markdown has tables, strikethrough, code and bare links', () => {
  const html = renderHere('|a|b|\n|:-:|-|\n|~~c~~|d|\n\n```js\nx < y\n```\n\nhttps://example.com', plain)
  expect(html).toContain('<th align="center">a</th>')
  expect(html).toContain('<s>c</s>')
  expect(html).toContain('<pre><code class="language-js">x &lt; y\n</code></pre>')
  expect(html).toContain('<a href="https://example.com" rel="nofollow noreferrer noopener">https://example.com</a>')
})

const plain = { gfm: false }
const home = { url: 'http://gitstead.test/a/b', default_branch: 'main' }

describe('no active content survives', () => {
  test.each([
    '<script>alert(1)</script>',
    '<SCRIPT SRC=//evil.example/x.js></SCRIPT>',
    '<scr<script>ipt>alert(1)</script>',
    '<<script>script>alert(1)<</script>/script>',
    '<img src=x onerror=alert(1)>',
    '<img src="javascript:alert(1)">',
    '<img src="data:image/svg+xml;base64,PHN2Zz4=">',
    '<img srcset="x 1x, javascript:alert(1) 2x" src=x>',
    '<svg onload=alert(1)><script>alert(1)</script></svg>',
    '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
    '<svg><animate attributeName=href values=javascript:alert(1) /></svg>',
    '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>',
    '<iframe src="javascript:alert(1)"></iframe>',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    '<object data="javascript:alert(1)"></object><embed src="javascript:alert(1)">',
    '<form action="javascript:alert(1)"><input type=submit><button formaction="javascript:alert(1)">x</button></form>',
    '<a href="javascript:alert(1)">x</a>',
    '<a href="  java&#10;script:alert(1)">x</a>',
    '<a href="&#106;avascript&colon;alert(1)">x</a>',
    '<a href="vbscript:alert(1)">x</a>',
    '<a href="data:text/html,<script>alert(1)</script>">x</a>',
    '<a href="https://x" onclick="alert(1)" style="position:fixed">x</a>',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](javascript&colon;alert(1))',
    '[x](&#x6A;avascript:alert(1))',
    '[x](data:text/html;base64,PHNjcmlwdD4=)',
    '[x](vbscript:x)',
    '![x](javascript:alert(1))',
    '![x](data:image/svg+xml,<svg onload=alert(1)>)',
    '![x" onerror="alert(1)](y)',
    '[x](y "t\\" onclick=\\"alert(1)")',
    '[x]: javascript:alert(1)\n\n[x]',
    '<javascript:alert(1)>',
    '```"><script>alert(1)</script>\nx\n```',
    '``` "onload="alert(1)\nx\n```',
    '<style>*{background:url(javascript:alert(1))}</style>',
    '<p style="background:url(javascript:alert(1))">x</p>',
    '<td style="text-align:center;background:url(//evil.example)">',
    '<base href="//evil.example/"><meta http-equiv=refresh content="0;url=javascript:alert(1)"><link rel=import href=x>',
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    '<textarea><img title="</textarea><img src=x onerror=alert(1)>"></textarea>',
    '<xmp><p title="</xmp><script>alert(1)</script>"></xmp>',
    '<!--><script>alert(1)</script>-->',
    '<![CDATA[><script>alert(1)</script>]]>',
    '<template><script>alert(1)</script></template>',
    '<details open ontoggle=alert(1)><summary>x</summary></details>',
    '<div id=root class="navbar" name=getElementById contenteditable accesskey=x>x</div>',
    '<img name=cookie id=forms src=x>',
    '<video src=x onerror=alert(1)><source src=x></video><audio autoplay src=x>',
    '<span data-name="x" data-remote=true data-method=delete>x</span>',
    ':tada"><script>alert(1)</script>:',
    '<b :tada: onclick=alert(1)>',
  ])('%j', (text) => {
    for (const html of [renderHere(text, plain), renderHere(text, { gfm: true }), renderHere(text, { gfm: true, home })]) {
      const elements = [...html.matchAll(/<\/?([a-z0-9]+)((?:"[^"]*"|[^">])*)>/gi)]
      for (const [whole, name = '', attributes = ''] of elements) {
        expect([whole, name]).toEqual([whole, expect.not.stringMatching(dangerousElement)])
        const names = [...attributes.matchAll(/([^\s=/]+)="[^"]*"/g)].map(([, attribute]) => attribute)
        expect([whole, names.filter((attribute) => !harmlessAttributes.has(attribute as string))]).toEqual([whole, []])
        expect(attributes.replace(/"[^"]*"/g, '')).not.toMatch(/["'<]/)
        const addresses = [...attributes.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address as string)
        for (const address of addresses) expect(address.trim()).toMatch(/^(https?:\/\/|[\w./#%-]*$)/)
      }
      // All that is left is text: every character that could open an element is escaped.
      expect(elements.reduce((rest, [whole]) => rest.replace(whole, ''), html)).not.toContain('<')
    }
  })

  const dangerousElement =
    /^(script|style|svg|math|iframe|object|embed|form|input|button|base|meta|link|noscript|textarea|xmp|template|video|audio|source)$/i
  const harmlessAttributes = new Set(['href', 'src', 'alt', 'title', 'rel', 'class', 'align', 'dir', 'data-name', 'open'])
})

test('no class, id or style of the page around it can be taken', () => {
  const html = renderHere('<code class="language-js navbar">x</code> <kbd id="a" class="b" style="c">y</kbd>', plain)
  expect(html).toBe('<p><code class="language-js">x</code> <kbd>y</kbd></p>')
})

/** The slowest text to render: as long as it may be, and nearly all headings. */
const heaviest = 'a\n=\n'.repeat(64 * 1024).slice(0, 64 * 1024)

test(
  'others are answered while the heaviest text is rendered',
  inFullRun('1 s of processor. `sandbox.test.ts`: short jobs never wait for a long one.'),
  async () => {
    await render({ text: 'Load what renders' })
    let rendering = true
    const rendered = render({ text: heaviest, gfm: true }).finally(() => {
      rendering = false
    })
    let answered = 0
    while (rendering) {
      expect((await forge.as(ada).get('/version')).status).toBe(200)
      answered += 1
      await nextTurn()
    }
    expect([(await rendered).status, answered > 20]).toEqual([201, true])
  },
)

test('a text that takes too long is given up, and the next one is rendered', async () => {
  const { render } = openRenderer({ longest_ms: 1 })
  for (const text of [heaviest, `${heaviest}=`]) await expect(render(text, plain, 'ada')).rejects.toMatchObject({ code: 'timed_out' })
  expect(await render('three', plain, 'ada')).toBe('<p>three</p>')
})

/** It takes the library longer than anybody waits. */
const hostileTextile = '- '.repeat(400)

test('comments don’t wait for a hostile Textile page, and it costs its deadline once, wherever it is shown', async () => {
  // The deadline of the page comes when the test says so.
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const asked = watchSandboxJobs()
  const { render } = openRenderer()
  const outcome = vi.fn()
  const showPage = (url: string, whose: string) =>
    render(hostileTextile, { gfm: true, markup: 'textile', home: { url, default_branch: 'main' } }, whose)
  const page = showPage('https://host/a', 'mallory').catch((error) => outcome(error.code))
  await expect.poll(() => asked().length, { interval: 1 }).toBe(1)
  const comments = await Promise.all(['mallory', 'ada', 'bob'].map((whose) => render(`*${whose}*`, plain, whose)))
  expect([comments, outcome.mock.calls]).toEqual([['mallory', 'ada', 'bob'].map((whose) => `<p><em>${whose}</em></p>`), []])

  vi.advanceTimersByTime(2_000)
  await page
  expect(outcome.mock.calls).toEqual([['timed_out']])
  await expect(showPage('https://host/b', 'ada')).rejects.toMatchObject({ code: 'timed_out' })
  expect(asked()).toHaveLength(4)
})

test('concurrent requests for the same public text render it once', async () => {
  const asked = watchSandboxJobs()
  const all = await Promise.all(Array.from({ length: 40 }, () => renderProse('For *all*')))
  expect([...new Set(all)]).toEqual(['<p>For <em>all</em></p>'])
  expect(asked()).toHaveLength(1)
})
