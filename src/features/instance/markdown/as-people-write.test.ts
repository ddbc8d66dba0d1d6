/** Markdown as people write it elsewhere: footnotes, alerts, colours, bare links, anchors, media, front matter, and links of wikis. */
import { describe, expect, test } from 'vitest'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { prepare, render } from './render.ts'
import { taskAt, withTask } from './task-lines.ts'

const page = (text: string, home?: Parameters<typeof render>[1]['home']) => render(text, { gfm: true, within_page: true, home })
const file = { url: 'http://gitstead.test/a/b', default_branch: 'main', folder: 'docs' }
const wiki = { url: 'http://gitstead.test/a/b', default_branch: null, wiki: 'http://gitstead.test/a/b/wikis', folder: 'docs' }
const textOf = (html: string) => html.replace(/<[^>]*>/g, '')
const addressesIn = (html: string) => [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address)

describe('footnotes', () => {
  test('are numbered as they are named, and lead there and back', () => {
    const html = page('One[^b] two[^a] and again[^b].\n\n[^a]: First *note*\n[^b]: Second\n\n    goes on\n[^c]: nobody names it')
    expect(html).toMatch(/One<sup><a id="user-content-fnref-\w{8}-1" href="#user-content-fn-\w{8}-1" aria-label="Footnote 1">1<\/a><\/sup>/)
    expect(html).toMatch(/two<sup><a [^>]*>2<\/a>/)
    expect(html).toMatch(/again<sup><a id="user-content-fnref-\w{8}-1-2" [^>]*>1<\/a>/)
    expect(html).toMatch(/<div id="user-content-fn-\w{8}-1">\n<p[^>]*>Second<\/p>\n<p[^>]*>goes on <a[^>]*>↩<\/a> <a[^>]*>↩<\/a><\/p>/)
    expect(html).toMatch(/<div id="user-content-fn-\w{8}-2">\n<p[^>]*>First <em>note<\/em> <a/)
    expect(html).not.toContain('nobody names it')
  })

  test('keep a text that is one address', () => {
    expect(page('x[^1]\n\n[^1]: https://example.com/a')).toContain('>https://example.com/a</a>')
  })

  test('may name themselves and each other, and what is no note stays as it is', () => {
    const html = page('a[^x] [^none] `[^x]`\n\n[^x]: x[^y][^x]\n[^y]: y[^x][^y]')
    expect(textOf(html)).toMatch(/^a1 \[\^none\] \[\^x\]\s+x21 ↩ ↩ ↩\s+y12 ↩ ↩\s*$/)
    expect(textOf(page('[^a]: alone'))).toBe('')
    expect(textOf(page('- [^a]: in a list\n\nx[^a]'))).toContain('[^a]')
  })

  test('of two texts on one page have other ids', () => {
    const ids = ['one[^1]\n\n[^1]: a', 'two[^1]\n\n[^1]: b'].map((text) => /id="user-content-fn-([^"]*)"/.exec(page(text))?.[1])
    expect(new Set(ids).size).toBe(2)
  })
})

test.each([
  ['> [!NOTE]\n> Read *this*', '<div class="alert is-note"><p class="alert-title">Note</p>\n<p dir="auto">Read <em>this</em></p>\n</div>'],
  [
    '> [!caution]\n>\n> - a',
    '<div class="alert is-caution"><p class="alert-title">Caution</p>\n<ul dir="auto">\n<li>a</li>\n</ul>\n</div>',
  ],
  ['> [!TIP] not alone', '<blockquote>\n<p dir="auto">[!TIP] not alone</p>\n</blockquote>'],
  ['> [!OTHER]\n> x', '<blockquote>\n<p dir="auto">[!OTHER]\nx</p>\n</blockquote>'],
  [
    'a {+new+} and {-old *b*-}, [+c+] [-d-]',
    [
      '<p dir="auto">a <ins class="inline-diff">new</ins> and <del class="inline-diff">old <em>b</em></del>, ',
      '<ins class="inline-diff">c</ins> <del class="inline-diff">d</del></p>',
    ].join(''),
  ],
  ['[-x-](y) {++} `{+a+}` {+open', '<p dir="auto"><a href="y">-x-</a> {++} <code>{+a+}</code> {+open</p>'],
  ['It was $5 a$b and $x$y', '<p dir="auto">It was $5 a$b and $x$y</p>'],
  ['<p align="center">x</p><div align="right">y</div>', '<p align="center" dir="auto">x</p><div align="right">y</div>'],
  [
    '<a name="top"></a><b id="x">b</b> [up](#top)',
    ['<p dir="auto"><a id="user-content-top"></a><b id="user-content-x">b</b> ', '<a href="#user-content-top">up</a></p>'].join(''),
  ],
  [
    '\ufeff# Title',
    '<a class="to-heading" href="#user-content-title" aria-label="Link to “Title”"></a><h2 dir="auto" id="user-content-title">Title</h2>',
  ],
])('%j', (text, html) => expect(page(text)).toBe(html))

test('colours in code are shown beside them, and nothing else is', () => {
  const fills = (text: string) => [...page(text).matchAll(/fill="([^"]*)"/g)].map(([, fill]) => fill)
  expect(fills('`#f00` `#2E8B57` `#11223344` `rgb(1, 2,3)` `rgba(10%,20%,30%,0.5)` `hsl(120deg, 50%, 50%)` `HSLA(1,2%,3%,.5)`')).toEqual([
    '#f00',
    '#2E8B57',
    '#11223344',
    'rgb(1, 2,3)',
    'rgba(10%,20%,30%,0.5)',
    'hsl(120deg, 50%, 50%)',
    'HSLA(1,2%,3%,.5)',
  ])
  expect(fills('#f00 `#12345` `red` `rgb(1,2)` `#f00;"` `url(#a)` `rgb(1,2,3)"><script>`')).toEqual([])
})

test('bare addresses are links with any scheme but those that run in the page', () => {
  const html = page('www.example.org/a. (see www.x.org/a_(b)) irc://host/x, ssh://git@host/y README.md javascript://x data://y a@b.org')
  expect(addressesIn(html)).toEqual([
    'http://www.example.org/a',
    'http://www.x.org/a_(b)',
    'irc://host/x',
    'ssh://git@host/y',
    'mailto:a@b.org',
  ])
  expect(
    addressesIn(page('[a](irc://h) [b](JavaScript:x) [c](vbscript:x) [d](data:text/html,x) <a href=" java\nscript:x">e</a> [f](tel:+1)')),
  ).toEqual(['irc://h', 'tel:+1'])
})

test('relative links lead into the repository whatever their first character', () => {
  const html = page(
    '[a](日本.md) [b](über/a.md) [c](@scope/x) [d](<[slug].md>) [e](<(group)/page>) [f](../x.md) [g](/root.md) [h](~t) [i](#part)',
    file,
  )
  const start = 'http://gitstead.test/a/b/blob/main'
  expect(addressesIn(html).map((address) => decodeURI(address ?? ''))).toEqual([
    `${start}/docs/日本.md`,
    `${start}/docs/über/a.md`,
    `${start}/docs/@scope/x`,
    `${start}/docs/[slug].md`,
    `${start}/docs/(group)/page`,
    `${start}/x.md`,
    `${start}/root.md`,
    `${start}/docs/~t`,
    '#user-content-part',
  ])
  const outside = addressesIn(page('[a](//evil.example) [b](\\\\evil.example) [c](/\\evil.example) [d](&#9;javascript:x)', file))
  for (const address of outside) expect(address).toMatch(/^http:\/\/gitstead\.test\/a\/b\/blob\//)
})

test('videos and sounds have controls, and a link to themselves', () => {
  const html = page('![A film](demo.mp4) ![](a.mp3 "Tune") [![x](b.webm)](y) ![z](c.png)', file)
  const at = (name: string) => `http://gitstead.test/a/b/raw/main/docs/${name}`
  expect(html).toContain(
    `<video controls preload="metadata" src="${at('demo.mp4')}" aria-label="A film"></video> <a href="${at('demo.mp4')}">A film</a>`,
  )
  expect(html).toContain(`<audio controls preload="metadata" src="${at('a.mp3')}" aria-label="Tune"></audio>`)
  expect(html).toContain(`<img loading="lazy" alt="x" src="${at('b.webm')}" /></a>`)
  expect(html).toContain(`<img loading="lazy" alt="z" src="${at('c.png')}" />`)
  expect(page('![<b onclick=x>"](x.mp4?"onerror="y)')).not.toMatch(/<b\s|"\s*on\w+=/)
})

test('front matter of files is code in colours, that of comments a rule and a heading', async () => {
  const text = '---\ntitle: A\nlayout: b\n---\n# Text'
  await prepare(text, { within_page: true, home: file })
  expect(page(text, file)).toMatch(/^<code-block><pre><code class="language-yaml"><span class="h-a">title:<\/span>/)
  expect(textOf(page('+++\na = 1\n+++\nText', file))).toBe('a = 1\n\nText')
  expect(page(text)).toMatch(/^<hr/)
  expect(page('---\n\nText\n\n---', file)).toMatch(/^<hr[^>]*>\n<p[^>]*>Text/)
  // Its title is that of the page already.
  expect(textOf(page('---\ntitle: A\n---\nText', wiki))).toBe('Text')
  expect(textOf(page('---\ntitle: A\ntags: b\n---\nText', wiki))).toBe('title: A\ntags: b\n\nText')
})

test('a list of contents leads to the headings, in their levels', () => {
  const html = page('[[_TOC_]]\n\n# A\n### B `c`\n## D <b>e</b>\n# A')
  expect(html).toMatch(/^<div class="contents" role="navigation" aria-label="Contents"><ul/)
  expect(addressesIn(html.slice(0, html.indexOf('</div>')))).toEqual([
    '#user-content-a',
    '#user-content-b-c',
    '#user-content-d-e',
    '#user-content-a-1',
  ])
  expect(textOf(page('[[_TOC_]]'))).toBe('')
  expect(textOf(page('a [[_TOC_]]\n# B'))).toBe('a [[TOC]]\nB')
})

test('wikis have pictures and links by two brackets, and links from their root', () => {
  const html = page(
    '[[A page]] [[words|docs/b c#d]] [[images/l ö.png|alt=A "logo"|width=20px|class=x]] [[https://x.org/p.gif]] [r](/other) [f](x.md) `[[no]]` [[pic.png|Page]]',
    wiki,
  )
  expect(addressesIn(html)).toEqual([
    `${wiki.wiki}/A-page`,
    `${wiki.wiki}/docs/b-c#d`,
    `${wiki.wiki}/docs/images/l%20%C3%B6.png`,
    'https://x.org/p.gif',
    `${wiki.wiki}/other`,
    `${wiki.wiki}/docs/x.md`,
    `${wiki.wiki}/Page`,
  ])
  expect(html).toContain('alt="A &quot;logo&quot;" width="20"')
  expect(html).toContain('<code>[[no]]</code>')
  expect(page('[[A page]]', file)).not.toContain('<a')
  expect(addressesIn(page('[x](/uploads/0123456789abcdef0123456789abcdef/a.png)', wiki))).toEqual([
    'http://gitstead.test/a/b/uploads/0123456789abcdef0123456789abcdef/a.png',
  ])
  expect(page('[[x|javascript:alert(1)]] [[a"onerror=x.png|alt="><script>]]', wiki)).not.toMatch(/href="javascript|<script|\sonerror/)
})

test('code on a page stands in an element that script adds a button to', () => {
  expect(page('```mermaid\ngraph TD\n```')).toBe('<code-block><pre><code class="language-mermaid">graph TD\n</code></pre></code-block>')
})

describe('tasks', () => {
  const text =
    '# A\r\n- [ ] one\r\n  - [x] two *b*\r\n> 1. [ ] three\r\n- - [X] four\n-\n  [ ] five\n```\n- [ ] code\n```\n[ ] no\n\n[^a]: - [ ] note\n\nx[^a]'
  const places = () => [...page(text).matchAll(/data-task="([^"]*)"/g)].map(([, place]) => place ?? '')

  test('say where they stand, and are ticked there and nowhere else', () => {
    const lines = text.split(/\r\n|\n/)
    expect(places().map((place) => lines[Number.parseInt(place, 10)])).toEqual(
      ['- [ ] one', '  - [x] two *b*', '> 1. [ ] three', '- - [X] four', '  [ ] five', '[^a]: - [ ] note'].slice(0, places().length),
    )
    expect(places().length).toBeGreaterThanOrEqual(5)
    let ticked = text
    for (const place of places()) ticked = withTask(ticked, place, true) ?? ticked
    expect(ticked).toBe(text.replaceAll(/\[[ X]\] (?=one|three|four|five)/g, '[x] '))
    expect(withTask(ticked, places()[0] ?? '', false)).toBe(ticked.replace('[x] one', '[ ] one'))
  })

  test('that were changed, moved or deleted are not ticked', () => {
    const [first = ''] = places()
    expect(withTask(text.replace('one', 'other'), first, true)).toBeNull()
    expect(withTask(`new\n${text}`, first, true)).toBeNull()
    expect(withTask('', first, true)).toBeNull()
    for (const place of ['', '1', '-1-abc', '1-', 'x-000000000000', '1e9-0', '99999999999999999999-0'])
      expect(withTask(text, place, true)).toBeNull()
  })

  test('are named by their text', () => {
    expect(page('- [x] *Buy* `milk` :tada:')).toContain('checked data-task="0-')
    expect(page('- [ ] Buy "milk" <b>x</b>')).toContain('aria-label="Buy &quot;milk&quot; x"')
    expect(taskAt(['[x](y) '], 0)).toBeNull()
  })
})

test('long texts of each of them are rendered in linear time', inFullRun('takes some seconds of processor'), () => {
  const size = 60_000
  for (const part of [
    '[^a]',
    '[^a]: x\n',
    '[^a]\n\n[^a]: [^a]\n\n',
    '> [!NOTE]\n> ',
    '{+',
    '{+a',
    '[-a-]',
    'www.',
    'www.a.b) ',
    'a://',
    'x://y)))',
    '[[',
    '[[a]]',
    '[[_TOC_]]\n\n# a\n\n',
    '`#fff`',
    '- [ ] a\n',
    '<a name=x>',
    '# a\n',
    '![](a.mp4)',
    '---\na: b\n',
    `${'> - 1. '.repeat(5)}[ ] x\n`,
    `${'a'.repeat(30)}:`,
  ]) {
    const began = process.cpuUsage()
    page(part.repeat(size / part.length), wiki)
    const { user } = process.cpuUsage(began)
    // Squared, it would be a minute.
    expect([part, user < 8_000_000]).toEqual([part, true])
  }
})
