/** AsciiDoc, RDoc, Org and Textile as HTML: what they show, and that nothing active survives. */
import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import { describe, expect, test } from 'vitest'
import type { Markup } from './formats.ts'
import { prepare, render } from './render.ts'

const home = { url: 'http://gitstead.test/a/b', default_branch: null, wiki: 'http://gitstead.test/a/b/wikis', folder: 'docs' }
const formats = ['rdoc', 'asciidoc', 'org', 'textile'] as const

async function page(markup: Markup, text: string, within_page = true): Promise<string> {
  const flavour = { gfm: true, within_page, markup, home }
  return render(text, flavour, await prepare(text, flavour))
}

const wiki = (path: string) => `href="${home.wiki}/${path}"`

test('RDoc has headings, lists, code and links', async () => {
  const html = await page(
    'rdoc',
    '= Title\n:stopdoc:\nSome *bold*, _em_ and +code+ at https://x.org.\n\n* one\n  more\n  * nested\n1. first\n\n[label] text\nterm:: words\n\nThen:\n\n  verbatim < 1\n\n{two words}[other.rdoc] \\*plain*\n--\nhidden\n++\n[[A page]]',
  )
  for (const part of [
    '<h2 dir="auto" id="user-content-title">Title</h2>',
    '<strong>bold</strong>, <em>em</em> and <code>code</code>',
    '>https://x.org</a>.',
    '<li>nested</li>',
    '<ol dir="auto">\n<li>first</li>',
    '<dt>label</dt>\n<dd>text</dd>\n<dt>term</dt>\n<dd>words</dd>',
    '<pre><code>verbatim &lt; 1\n</code></pre>',
    wiki('docs/other.rdoc'),
    wiki('A-page'),
    '*plain*',
  ])
    expect(html).toContain(part)
  expect(html).not.toMatch(/stopdoc|hidden/)
})

test('Org has headings, lists, tables, blocks and links', async () => {
  const html = await page(
    'org',
    '#+TITLE: Title\n* Chapter :tag:\n:PROPERTIES:\n:ID: secret\n:END:\nSome *bold*, /em/, =verbatim= and +gone+.\n- item\n  - nested\n- [X] done\n- term :: words\n\n1. first\n\n#+BEGIN_SRC ruby\ndef x; end\n#+END_SRC\n| a | b |\n|---+---|\n| 1 | 2 |\n\n# a comment\n[[file:other.org][words]] [[A page]] [[https://x.org]]\n: fixed',
  )
  for (const part of [
    '<h2 dir="auto" id="user-content-chapter">Chapter</h2>',
    '<strong>bold</strong>, <em>em</em>, <code>verbatim</code> and <del>gone</del>',
    '<li>nested</li>',
    '☑ done',
    '<dt>term</dt>',
    '<span class="h-k">def</span>',
    '<thead><tr><th>a</th><th>b</th></tr>',
    wiki('docs/other.org'),
    wiki('A-page'),
    '<pre><code>fixed\n</code></pre>',
  ])
    expect(html).toContain(part)
  expect(html).not.toMatch(/secret|a comment|:tag:/)
})

test('AsciiDoc has headings, tables, code in colours, footnotes and references within the page', async () => {
  const html = await page(
    'asciidoc',
    '= Title\n\n== A chapter\n\nSome *bold* and `code`.footnote:[Below] <<a-chapter>> xref:other.adoc[words]\n\n[source,ruby]\n----\ndef x; end\n----\n\n|===\n|a |b\n|===\n',
  )
  for (const part of [
    '<h2 dir="auto">Title</h2>',
    '<h3 dir="auto" id="user-content-a-chapter">A chapter</h3>',
    'href="#user-content-a-chapter"',
    '<strong>bold</strong> and <code>code</code>',
    'href="#user-content-_footnotedef_1"',
    'id="user-content-_footnotedef_1"',
    wiki('docs/other.adoc'),
    '<span class="h-k">def</span>',
    '<td><p dir="auto">a</p></td>',
  ])
    expect(html).toContain(part)
})

test('Textile has headings, lists, tables and links', async () => {
  const html = await page(
    'textile',
    'h1. Title\n\nSome *bold* "words":https://x.org\n\n* one\n** two\n\n|_. a|_. b|\n|1|2|\n\n[[A page]]\n',
  )
  for (const part of [
    '<h2 dir="auto">Title</h2>',
    '<strong>bold</strong>',
    'href="https://x.org"',
    '<li>two</li>',
    '<th>a</th>',
    wiki('A-page'),
  ])
    expect(html).toContain(part)
})

test('what an AsciiDoc text includes is not read', async () => {
  const html = await page(
    'asciidoc',
    'include::/etc/passwd[]\n\nimage::data:image/png;base64,x[]\n\n:data-uri:\n:allow-uri-read:\ninclude::https://x.org/a[]',
  )
  expect(html).not.toMatch(/root:|data:image/)
})

const allowed = new Set(
  'h1 h2 h3 h4 h5 h6 p blockquote ul ol li dl dt dd pre div hr details summary table thead tbody tfoot tr th td caption a abbr b br code del em i img ins kbd mark q s samp small span strike strong sub sup tt u var bdi code-block video audio'.split(
    ' ',
  ),
)
const attributes = new Set(
  'href title rel src alt width height class start dir id data-code align colspan rowspan open data-name loading aria-label controls preload'.split(
    ' ',
  ),
)

/** Lists everything that a browser would run, or fetch by a scheme that isn't allowed. */
function activeIn(html: string): string[] {
  const found: string[] = []
  const parser = new Parser({
    onopentag(name, own) {
      if (!allowed.has(name)) found.push(name)
      for (const [attribute, value] of Object.entries(own)) {
        if (!attributes.has(attribute)) found.push(`${name} ${attribute}`)
        if (attribute === 'id' && !value.startsWith('user-content-')) found.push(`id ${value}`)
        if (/^(?:href|src)$/.test(attribute) && !/^(?:https?:|mailto:|#|\/|[^:]*$)/.test(value)) found.push(value)
      }
    },
  })
  parser.end(html)
  return found
}

const hostile = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="&#106;avascript&colon;alert(1)">x</a>',
  '<svg onload=alert(1)></svg>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<div id="root" class="bar" style="position:fixed" onclick="alert(1)">x</div>',
  '<style>*{background:red}</style><base href="//evil.example/"><form action=x><input></form>',
]

const own: Record<(typeof formats)[number], string[]> = {
  rdoc: [
    '{x}[javascript:alert(1)]',
    'x[link:javascript:alert(1)]',
    'rdoc-image:javascript:alert(1)',
    '{x" onclick="y}[a"b]',
    '<tt><script></tt>',
    '= a" onclick="x',
  ],
  asciidoc: [
    '++++\n<script>alert(1)</script>\n++++',
    '+++<script>alert(1)</script>+++ pass:[<img src=x onerror=alert(1)>]',
    'link:javascript:alert(1)[x] image::javascript:alert(1)[] image::x[link="javascript:alert(1)"]',
    'link:++javascript:alert(1)++[x]',
    '[[x" onclick="y]]text',
    '[#root.bar]\ntext\n\n[role=\'x" onclick="y\']\ntext',
    'video::x[] audio::x[] image::x.svg[opts=interactive]',
    ':x: <script>alert(1)</script>\n{x}',
    '[source,js" onclick="x]\n----\nx\n----',
  ],
  org: [
    '[[javascript:alert(1)][x]]',
    '[[javascript:alert(1)]]',
    '#+BEGIN_EXPORT html\n<script>alert(1)</script>\n#+END_EXPORT',
    '#+HTML: <script>alert(1)</script>',
    '@@html:<script>alert(1)</script>@@',
    '#+BEGIN_SRC js" onclick="x\n</code><script>\n#+END_SRC',
    '[[file:a" onclick="x.png]]',
    '| <script>alert(1)</script> |',
  ],
  textile: [
    '"x":javascript:alert(1)',
    '!javascript:alert(1)!',
    '!x(" onerror="alert(1))!',
    '!x!:javascript:alert(1)',
    'p(#root bar){position:fixed}. x',
    'notextile. <script>alert(1)</script>',
    '==<script>alert(1)</script>==',
    'bc[js" onclick="x]. x',
    '%{background:url(javascript:alert(1))}x%',
  ],
}

describe.each(formats)('no active content survives in %s', (markup) => {
  test.each([...hostile, ...own[markup]])('%j', async (text) => {
    for (const within_page of [true, false]) {
      const html = await page(markup, text, within_page)
      expect([html, activeIn(html)]).toEqual([html, []])
    }
  })
})

test.each(formats)('whatever is written in %s is rendered, and stays harmless', async (markup) => {
  const pieces = fc.constantFrom(
    ...[
      ...hostile,
      ...own[markup],
      '*',
      '_',
      '+',
      '=',
      '~',
      '/',
      '[[',
      ']]',
      '|',
      '|-',
      '- ',
      '  - ',
      '1. ',
      '#+begin_quote\n',
      '#+end_quote\n',
    ],
    ...['----\n', '++++\n', '|===\n', 'h1. ', 'bq. ', '>>>\n  ', '```\n', ':a: {a}{a}\n', '\n', '\n\n', 'word', ' ', '"', '<', '日本'],
  )
  await fc.assert(
    fc.asyncProperty(fc.array(pieces, { maxLength: 30 }), async (all) => {
      const html = await page(markup, all.join(''))
      expect(activeIn(html)).toEqual([])
    }),
    { numRuns: 60 },
  )
})

test.each(['rdoc', 'org'] as const)('%s that nests without end is rendered in linear time', async (markup) => {
  const deep = Array.from({ length: 2_000 }, (_, depth) => `${' '.repeat(Math.min(depth, 60))}- ${'*'.repeat(20)}x`).join('\n')
  const blocks = markup === 'org' ? 'text\n#+begin_quote\n'.repeat(2_000) : 'text\n>>>\n'.repeat(2_000)
  const signs = ['*', '_', '/', '=', '[[', '{', '<b>', '+', '`'].map((sign) => `${sign}a`.repeat(4_000)).join('\n')
  for (const text of [deep, blocks, signs]) {
    const start = process.cpuUsage()
    await page(markup, text)
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(5_000)
  }
})
