/** Formulas and task lists: what they become, and that nothing hostile gets through them. */
import { expect, test } from 'vitest'
import { measureComputing } from '../../../../test/support/run/cpu.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { renderMath } from './math.ts'
import { prepareFences, render } from './render.ts'

const page = (text: string) => render(text, { gfm: true, within_page: true })

test.each([
  ['inline, three ways', 'a $x^2$ and $`x^2`$ and $$x^2$$', 3],
  ['as a block', '$$\n\\frac{a}{b}\n$$', 1],
  ['in a fence', '```math\n\\sqrt{2}\n```', 1],
  ['money is none', 'It costs $5 and $6, or $7.', 0],
  ['escaped', '\\$x\\$', 0],
  ['in code', '`$x$`', 0],
  ['plain Markdown has none', '', 0],
])('formulas: %s', (_, text, count) => {
  expect(page(text).match(/<math/g) ?? []).toHaveLength(count)
  expect(render(text, { gfm: false })).not.toContain('<math')
})

test('task lists are boxes that can be read and not ticked', () => {
  expect(page('- [ ] one\n- [x] two\n- [y] three').replace(/-[0-9a-f]{12}"/g, '-PLACE"')).toBe(
    '<ul dir="auto">\n<li><input type="checkbox" disabled data-task="0-PLACE" aria-label="one"> one</li>\n<li><input type="checkbox" disabled checked data-task="1-PLACE" aria-label="two"> two</li>\n<li>[y] three</li>\n</ul>',
  )
})

test('code in a page has the colours of its language, and classes that were written have none', async () => {
  const text = '```js\nlet a\n```\n\n<span class="bar h-k" style="x" id="main">x</span>'
  await prepareFences(text)
  const html = page(text)
  expect(html).toContain('<span class="h-k">let</span> a')
  expect(html).toContain('<span class="h-k" id="user-content-main">x</span>')
})

const hostile = [
  '\\href{javascript:alert(1)}{x}',
  '\\url{javascript:alert(1)}',
  '\\includegraphics{https://evil.example/a.png}',
  '\\class{navbar}{x}',
  '\\id{main}{x}',
  '\\style{position:fixed;inset:0}{x}',
  '\\data{a=b}{x}',
  '\\htmlClass{x}{y}',
  '\\text{<script>alert(1)</script>}',
  '\\text{</math><img src=x onerror=alert(1)>}',
  '\\color{red;background:url(//evil)}{x}',
  '\\textcolor{#f00}{x}',
  '\\rule{9999em}{9999em}',
  '\\hspace{-9999em}x',
  '\\raisebox{-500em}{x}',
  '\\def\\a{\\a\\a}\\a',
  '{'.repeat(2_000),
  '\\frac'.repeat(600),
]

test.each(hostile)('a hostile formula is MathML without addresses, styles and long distances, or its text: %s', (tex) => {
  const tagsOf = (html: string) => (html.match(/<[^>]*>/g) ?? []).join('')
  const math = tagsOf(renderMath(tex, true) ?? '')
  expect(math).not.toMatch(/<(?!\/?m|none)|\s(href|src|style|id|on\w+|data-\w+|xlink:\w+)=|javascript:.*"|\d{3,}(\.\d+)?(em|ex|pt|px|%)/i)
  const html = tagsOf(page(`$$${tex}$$ and <b title="$${tex}$">x</b>`))
  expect(html).not.toMatch(/<(script|img|iframe|style)|\son\w+=|href="javascript|x-[0-9a-f]{16}/i)
})

test('what stands for a formula can’t be written, and MathML of others is left out', () => {
  expect(page('<math><mi>x</mi></math>')).not.toContain('<m')
  expect(page('<td align="\n\n$x$\n\n">')).not.toMatch(/align="[^"]*<math/)
  expect(page('<x-0123456789abcdef n="0"></x-0123456789abcdef> $x$').match(/<math/g)).toHaveLength(1)
})

test(
  'many dollars and boxes take no longer than their number',
  inFullRun('Half a second of processor. `markdown.test.ts` gives up a text that takes too long.'),
  () => {
    const used_ms = measureComputing()
    for (const text of ['$'.repeat(50_000), '$$\n'.repeat(20_000), '$`'.repeat(20_000), '- [ ] a\n'.repeat(5_000), '$a '.repeat(15_000)])
      page(text)
    expect(used_ms()).toBeLessThan(10_000)
  },
)
