/** Highlighted code: its text is the source exactly, each line stands for itself, and nothing in it runs. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { isMisleading } from './controls.ts'
import { highlight, prepareGrammar } from './highlight.ts'

const entities: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&#x27;': "'",
  '&#13;': '\r',
}

/** The text of HTML as browsers read it. */
const textOf = (html: string) => html.replace(/<[^>]*>/g, '').replace(/&[#\w]+;/g, (entity) => entities[entity] ?? entity)

/** Only these elements, each closed on its line. */
function faultsIn(line: string): string[] {
  const open: string[] = []
  for (const [tag] of line.matchAll(/<[^>]*>/g)) {
    if (/^<span class="h-[a-z]">$/.test(tag) || /^<bdi class="control" data-code="U\+[0-9A-F]{4}">$/.test(tag)) open.push(tag.slice(1, 4))
    else if (!/^<\/(span|bdi)>$/.test(tag) || open.pop() !== tag.slice(2, 5)) return [`${tag} in ${line}`]
  }
  return open.length > 0 ? [`${open.length} open in ${line}`] : []
}

async function expectExact(language: string, source: string): Promise<void> {
  const html = (await highlight(language, source)) as string
  expect(textOf(html)).toBe(source)
  const lines = html.split('\n')
  expect(lines.length).toBe(source.split('\n').length)
  expect(lines.flatMap(faultsIn)).toEqual([])
}

const hostile = [
  '<script>alert(1)</script>',
  '</span></pre><img src=x onerror=alert(1)>',
  '&lt;b&gt; &amp;amp; &#x27;',
  '"\'`\u0024{<b>}`',
  '/* a comment\nof <b>two</b>\r\nlines */ "a\u202estring\u2066"',
  '<span class="h-k">x</span>',
  '\u0000\u0001\u001b[31m\u007f\u0085',
  '#!/bin/sh\n<<E\n$(`x`)\nE\n',
  '<style>a{b:c}</style><script type="module">const x = `</script>`</script>',
  '',
  '\n\n\n',
]

const languages = [
  'javascript',
  'typescript',
  'xml',
  'python',
  'bash',
  'c',
  'cpp',
  'go',
  'rust',
  'ruby',
  'php',
  'css',
  'json',
  'yaml',
  'markdown',
  'sql',
  'diff',
  'java',
  'haskell',
  'perl',
  'makefile',
  'dockerfile',
  'ini',
  'lua',
  'latex',
  'erb',
  'http',
]

test.each(languages)('%s: the text of the lines is the source exactly, and hostile input is escaped', async (language) => {
  for (const source of hostile) await expectExact(language, source)
  await expectExact(language, hostile.join('\n'))
})

test('any text in any of the common languages keeps its text, in balanced lines', async () => {
  const word = fc.constantFrom(
    '"',
    "'",
    '`',
    '/*',
    '*/',
    '//',
    '<!--',
    '-->',
    '<b>',
    '</b>',
    '{',
    '}',
    '${',
    '\n',
    '\r\n',
    '\\',
    '&lt;',
    'def ',
    'class A',
    ' ',
    '#',
    '\u202e',
    '🎉',
    '1e9',
    '<?php',
    '?>',
    '```',
    'let x = ',
  )
  const source = fc.array(fc.oneof(word, fc.string({ unit: 'binary', maxLength: 6 })), { maxLength: 60 }).map((words) => words.join(''))
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...languages), source, async (language, text) => {
      await expectExact(language, text)
    }),
    { numRuns: 300 },
  )
})

test('code gets a few colours, which go on over lines', async () => {
  expect(await highlight('javascript', 'const x = "a"\n/* b\nc */')).toBe(
    '<span class="h-k">const</span> x = <span class="h-s">&quot;a&quot;</span>\n<span class="h-c">/* b</span>\n<span class="h-c">c */</span>',
  )
  for (const alias of ['js', 'JS', 'mjs', 'c++', 'py', 'yml', 'tsx', 'sh'])
    expect([alias, await highlight(alias, '1x')]).not.toEqual([alias, null])
})

test('a language nobody knows is none, and names of files are not looked for', async () => {
  for (const name of ['nothing', '../core', 'x/../../package', '', 'constructor', '__proto__', 'a'.repeat(100)]) {
    expect([name, await highlight(name, 'x')]).toEqual([name, null])
  }
})

test('invisible characters and overrides of direction show their number, and end where they stand', async () => {
  expect(await highlight('c', 'int a\u202eb;')).toBe('<span class="h-b">int</span> a<bdi class="control" data-code="U+202E">\u202e</bdi>b;')
  expect([isMisleading('int a\u202eb;'), isMisleading('\ufeffint'), isMisleading('a\ufeff'), isMisleading('שלום 🎉')]).toEqual([
    true,
    false,
    true,
    false,
  ])
})

test(
  'names that nobody has a grammar for do not keep others from being loaded',
  inFullRun('1 s of processor. It loads all grammars there are; a language nobody knows is none, above.'),
  async () => {
    for (let index = 0; index < 1_100; index += 1) expect(await prepareGrammar(`no-such-${index}`)).toBe(false)
    expect(await prepareGrammar('erlang')).toBe(true)
  },
)
