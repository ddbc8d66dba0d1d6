/** Resolutions of files in conflict: by sides, by the text, and what is none. */
import { expect, test } from 'vitest'
import { type FileResolution, labelOf, presentConflict, resolvedText } from './resolutions.ts'

const sides = { ours: 'a'.repeat(40), theirs: 'b'.repeat(40) }
const labels = { ours: labelOf('topic', sides.ours), theirs: labelOf('main', sides.theirs) }

const marked = (ours: string[], theirs: string[], end = '\n') =>
  [`<<<<<<< ${sides.ours}`, ...ours, '=======', ...theirs, `>>>>>>> ${sides.theirs}`].join(end) + end

function resolve(content: string, { sides: chosen = [], text = null }: Partial<FileResolution>) {
  const shown = presentConflict({ path: 'f', content, reason: null, base: null, ours: null, theirs: null }, sides, labels)
  return resolvedText(shown, { path: 'f', sides: chosen, text }, labels)
}

test('each conflict takes the side that was chosen for it, and common lines stay', () => {
  const content = `top\n${marked(['x'], ['y'])}middle\n${marked(['1', '2'], [])}end\n`
  expect(resolve(content, { sides: ['ours', 'theirs'] })).toEqual({ kind: 'done', text: 'top\nx\nmiddle\nend\n' })
  expect(resolve(content, { sides: ['both', 'both'] })).toEqual({ kind: 'done', text: 'top\nx\ny\nmiddle\n1\n2\nend\n' })
})

test('a conflict without a side is not resolved', () => {
  const content = marked(['x'], ['y']) + marked(['x'], ['y'])
  for (const chosen of [[], ['ours'], ['ours', null], [null, 'theirs']] as const)
    expect([chosen, resolve(content, { sides: chosen })]).toEqual([chosen, { kind: 'not resolved' }])
})

test('a file of which nothing is left is empty, and an end without a line break stays so', () => {
  expect(resolve(marked(['x'], []), { sides: ['theirs'] })).toEqual({ kind: 'done', text: '' })
  expect(resolve(`${marked(['x'], ['y'])}end`, { sides: ['ours'] })).toEqual({ kind: 'done', text: 'x\nend' })
})

test('the text that was edited counts, whatever sides are chosen, with the line breaks of the file', () => {
  expect(resolve(marked(['x'], ['y']), { sides: ['ours'], text: 'z\r\n' })).toEqual({ kind: 'done', text: 'z\n' })
  expect(resolve(marked(['x'], ['y'], '\r\n'), { text: 'z\r\nend\r\n' })).toEqual({ kind: 'done', text: 'z\r\nend\r\n' })
  expect(resolve(marked(['x'], ['y']), { text: '' })).toEqual({ kind: 'done', text: '' })
})

test('the text as it was shown is no resolution, and one with markers left is refused', () => {
  const content = marked(['x'], ['y'])
  const shown = `<<<<<<< topic aaaaaaaa\r\nx\r\n=======\r\ny\r\n>>>>>>> main bbbbbbbb\r\n`
  expect(resolve(content, { text: shown })).toEqual({ kind: 'not resolved' })
  expect(resolve(content, { text: shown, sides: ['theirs'] })).toEqual({ kind: 'done', text: 'y\n' })
  expect(resolve(content, { text: `more\r\n${shown}`, sides: ['theirs'] })).toEqual({ kind: 'markers left' })
  expect(resolve(content, { text: 'x\ny\n>>>>>>> main bbbbbbbb\n' })).toEqual({ kind: 'markers left' })
  expect(resolve(content, { text: 'Title\n=======\n' })).toEqual({ kind: 'done', text: 'Title\n=======\n' })
})
