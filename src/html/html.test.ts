/** HTML templates: escaping, and which white space of the source is sent. */
import { expect, test } from 'vitest'
import { type Html, html } from './html.ts'

const sent = ({ text }: Html) => text

test('values are escaped, templates within templates are not', () => {
  expect(sent(html`<b title="${`"a" & 'b'`}">${'<i>'}${html`<i>${1}</i>`}</b>`)).toBe(
    '<b title="&quot;a&quot; &amp; &#39;b&#39;">&lt;i&gt;<i>1</i></b>',
  )
})

test('null and false are nothing, and lists are put together', () => {
  expect(sent(html`<p>${null}${false}${[1, [html`<b>2</b>`, '3']]}</p>`)).toBe('<p>1<b>2</b>3</p>')
})

test('the indentation of the source is not sent, nor line breaks around a template and beside blocks', () => {
  const rows = ['a', 'b'].map(
    (name) => html`
      <li class="row">
        ${name}
      </li>
    `,
  )
  const list = html`
    <ul>
      ${rows}
    </ul>
  `

  expect(sent(list)).toBe('<ul><li class="row">a</li><li class="row">b</li></ul>')
})

test('a line break between words and elements within a line is a space', () => {
  const line = html`
    <p>
      ${'one'}
      <b>two</b>
      three
    </p>
  `

  expect(sent(line)).toBe('<p>one <b>two</b> three</p>')
})

test('the attributes of a tag may stand one a line; those that come as values bring their own space', () => {
  const box = (isTicked: boolean) => html`
    <input
      name="${'all'}"
      type="checkbox"
      ${isTicked && html` checked`}
    >
  `

  expect([true, false].map((isTicked) => sent(box(isTicked)))).toEqual([
    '<input name="all" type="checkbox" checked>',
    '<input name="all" type="checkbox">',
  ])
})

test('spaces and line breaks of values stay as they are, and so does a first line break of a text', () => {
  expect(sent(html`<textarea>\n${'a\n  b\n'}</textarea>`)).toBe('<textarea>\na\n  b\n</textarea>')
})

test('a space at the edge of a template stays', () => {
  expect(sent(html` <b>${'x'}</b> `)).toBe(' <b>x</b> ')
})

test('a template is read once, and its values each time', () => {
  const item = (name: string) => html`
    <b>${name}</b>
  `

  expect(['a', 'b'].map((name) => sent(item(name)))).toEqual(['<b>a</b>', '<b>b</b>'])
})
