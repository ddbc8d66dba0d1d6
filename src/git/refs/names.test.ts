import { tmpdir } from 'node:os'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tryGit } from '../../../test/support/git.ts'
import { measureComputing } from '../../../test/support/run/cpu.ts'
import { isGate } from '../../../test/support/run/tiers.ts'
import { isRefName, parseRevision, refError } from './names.ts'

/** Whether git itself takes a branch of this name. */
async function gitTakes(name: string): Promise<boolean> {
  return (await tryGit(tmpdir(), 'check-ref-format', `refs/heads/${name}`)).code === 0
}

/** Git takes these in full, but no command could tell them from an option or from HEAD. */
const refusedByUs = (name: string) => name.startsWith('-') || name === '@' || name.length > 1_024 || /\p{Cs}/u.test(name)

const parts = [
  'a',
  'B',
  'é',
  '/',
  '.',
  '..',
  '.lock',
  '-',
  '@',
  '{',
  '@{',
  '~',
  '^',
  ':',
  '?',
  '*',
  '[',
  '\\',
  ' ',
  '\t',
  '\x7f',
  '\x01',
  'lock',
  '😀',
]
const oddName = fc.array(fc.constantFrom(...parts), { maxLength: 6 }).map((some) => some.join(''))

test('a name is valid exactly when git accepts it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        oddName,
        fc.string({ maxLength: 12 }).filter((name) => !name.includes('\0')),
      ),
      async (name) => {
        expect([name, isRefName(name)]).toEqual([name, (await gitTakes(name)) && !refusedByUs(name)])
      },
    ),
    // Each starts git.
    { numRuns: isGate ? 60 : 250 },
  )
})

test('options, HEAD and very long names are invalid', () => {
  for (const name of ['', '-', '-n', '--all', '@', 'a\0b', 'a\nb', 'a\rb', 'x'.repeat(251), 'é'.repeat(126), `${'x/'.repeat(512)}x`])
    expect([name, isRefName(name)]).toEqual([name, false])
  for (const name of ['a', 'a-', 'a/-b', 'a@b', '@a', 'feature/ünïcode', 'x'.repeat(250), `${'x/'.repeat(511)}xx`])
    expect([name, isRefName(name)]).toEqual([name, true])
})

test('a revision is a name or id with ~ and ^, and no other syntax of git', () => {
  for (const text of ['main', 'HEAD', 'a1b2c3', 'main^', 'main^2', 'main~', 'main~10', 'v1^^~3', 'refs/heads/main']) {
    expect([text, parseRevision(text) !== null]).toEqual([text, true])
  }
  const refused = [
    '',
    '^',
    '^main',
    '-n',
    'main..side',
    'main:path',
    ':path',
    ':/text',
    'main@{1}',
    '@{-1}',
    'main^{tree}',
    'main^!',
    'main^@',
    'a b',
    'a\nb',
    '@',
  ]
  for (const text of refused) expect([text, parseRevision(text) !== null]).toEqual([text, false])
})

test('a revision of a million carets is refused at once', () => {
  const used_ms = measureComputing()
  expect(parseRevision(`${'^'.repeat(1_000_000)}x`)).toBeNull()
  expect(used_ms()).toBeLessThan(200)
})

test('a ref may have the names that the API takes and mirrors have; the error names the ref', () => {
  const taken = ['refs/heads/main', 'refs/heads/a/b', 'refs/tags/v1', 'refs/notes/commits', 'refs/remotes/origin/HEAD', 'refs/pull/1/head']
  for (const ref of taken) expect([ref, refError(ref)]).toEqual([ref, null])
  const refused = [
    'refs/heads/',
    'refs/heads/-x',
    'refs/heads/@',
    'refs/heads/HEAD',
    'refs/heads/refs/x',
    'refs/heads/a\u0001b',
    'refs/heads/a\nb',
  ]
  for (const ref of refused) {
    expect(refError(ref)).toBe(`The name of the branch ${ref.slice('refs/heads/'.length)} is invalid.`)
    const tag = ref.replace('heads', 'tags')
    expect(refError(tag)).toBe(`The name of the tag ${tag.slice('refs/tags/'.length)} is invalid.`)
  }
  expect(refError('refs/heads/caf\ufffd')).toBe('The name of the branch caf\ufffd is invalid.')
  expect(refError(`refs/tags/${'A'.repeat(40)}`)).toBe(`The tag ${'A'.repeat(40)} would be taken for an object id.`)
  expect(refError('refs/replace/x')).toBe('Refs below refs/replace/ are not taken.')
  for (const ref of ['main', 'HEAD', 'refs/', 'refs/-x', 'refs/HEAD', 'refs/a..b', ''])
    expect([ref, refError(ref)]).toEqual([ref, `The name of the ref ${ref} is invalid.`])
})

test('names with invisible characters are rejected for branches, tags and other refs', () => {
  const unseen = ['\u202e', '\u2066', '\u2069', '\u200e', '\u200f', '\u061c', '\u200b', '\u2060', '\ufeff', '\u00ad', '\u0085', '\u2028']
  const names = [
    ...unseen.map((character) => `ma${character}in`),
    'ma\u200din',
    'ma\u200cin',
    'main\u200d',
    'main\ufe0f',
    '\u200cé',
    'é\u200d',
  ]
  for (const name of names) {
    expect([name, refError(`refs/heads/${name}`)]).toEqual([name, `The name of the branch ${name} is invalid.`])
    expect([name, refError(`refs/tags/${name}`)]).toEqual([name, `The name of the tag ${name} is invalid.`])
    expect([name, refError(`refs/notes/${name}`)]).toEqual([name, `The name of the ref refs/notes/${name} is invalid.`])
    // A ref that exists already can be read and deleted.
    expect([name, isRefName(name)]).toEqual([name, true])
  }
  for (const name of ['می\u200cشود', 'क\u200dष', '👩\u200d💻', '❤\ufe0f\u200d🔥', 'fix/❤\ufe0f', 'שלום', 'ünï', '日本'])
    expect([name, refError(`refs/heads/${name}`)]).toEqual([name, null])
})

test('what a file system without case takes for a ref of git’s, a branch or a tag is refused', () => {
  for (const ref of ['refs/Replace/x', 'refs/REPLACE/x', 'refs/Bisect/bad']) expect(refError(ref)).toContain('are not taken')
  for (const ref of ['refs/Heads/main', 'refs/HEADS/x', 'refs/Tags/v1'])
    expect(refError(ref)).toBe(`The name of the ref ${ref} is invalid.`)
  for (const ref of ['refs/heads/Head', 'refs/heads/head', 'refs/heads/Heads/x', 'refs/headsup/x']) expect(refError(ref)).toBe(null)
})
