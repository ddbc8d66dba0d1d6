/** Which texts of a template are translated together, and that what stands in them keeps its place or takes another. */
import { expect, test } from 'vitest'
import { keysOf, translateTemplate } from './segments.ts'

const textsOf = (strings: TemplateStringsArray, ..._: unknown[]) => [...strings]

function translated(texts: string[], table: Record<string, string>): string {
  const { texts: found, order } = translateTemplate(texts, (key) => table[key])
  return found.reduce((text, next, index) => `${text}«${order[index - 1]}»${next}`)
}

test('a text reaches from one block element to the next, with the inline elements and values in it', () => {
  expect(keysOf(textsOf`<h1>Sign in</h1> <p>${1} or <a href="${2}">create <b>an account</b></a>.</p><label>Name <input></label>`)).toEqual([
    'Sign in',
    '{0} or <a>create <b>an account</b></a>.',
    'Name',
  ])
})

test('elements beside one another without words between them are texts of their own', () => {
  expect(keysOf(textsOf`<a href="/a">Projects</a> · <a href="/b">Groups</a> <span>${1}</span>`)).toEqual(['Projects', 'Groups'])
})

test('white space and pictures at its edges, numbers, code, keys and values alone are no part of a text', () => {
  expect(
    keysOf(textsOf`<button><svg><use href="#x"></use></svg> Delete </button><code>git push</code> <kbd>Esc</kbd> ${1} 12 &nbsp;`),
  ).toEqual(['Delete'])
})

test('attributes that are read aloud or shown are texts, others are not', () => {
  expect(keysOf(textsOf`<input class="wide" title="${1} of ${2}" placeholder="Search" value="Search">`)).toEqual(['{0} of {1}', 'Search'])
  expect(keysOf([' aria-label="Close it"'])).toEqual(['Close it'])
  expect(keysOf([' checked'])).toEqual([])
})

test('a translation puts values and elements in the order of its language, with their attributes', () => {
  const texts = textsOf`<p><b class="x">${0}</b> opened <a href="${1}">${2}</a> on ${3}</p>`
  expect(translated(texts, { '<b>{0}</b> opened <a>{1}</a> on {2}': 'Am {2} öffnete <b>{0}</b> dies: <a>{1}</a>' })).toBe(
    '<p>Am «3» öffnete <b class="x">«0»</b> dies: <a href="«1»">«2»</a></p>',
  )
})

test('without a translation the template stays as it is, and a quotation mark of one ends no attribute', () => {
  const texts = textsOf`<p title="As it is">A ${0} text</p>`
  expect(translated(texts, {})).toBe('<p title="As it is">A «0» text</p>')
  expect(translated(texts, { 'As it is': 'Wie "es" ist' })).toBe('<p title="Wie &quot;es&quot; ist">A «0» text</p>')
})
