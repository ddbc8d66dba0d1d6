import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isObjectId, isRefName, isWritablePath, parseRevision, pathParts, refError } from './names.ts'

/** What git itself says of a branch of this name. */
function gitTakes(name: string): boolean {
  return spawnSync('git', ['check-ref-format', `refs/heads/${name}`]).status === 0
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

test('a name is one exactly when git says so', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        oddName,
        fc.string({ maxLength: 12 }).filter((name) => !name.includes('\0')),
      ),
      (name) => {
        expect([name, isRefName(name)]).toEqual([name, gitTakes(name) && !refusedByUs(name)])
      },
    ),
    { numRuns: 250 },
  )
})

test('names that would be options, HEAD or endless are none', () => {
  for (const name of ['', '-', '-n', '--all', '@', 'a\0b', 'a\nb', 'a\rb', 'x'.repeat(251), 'é'.repeat(126), `${'x/'.repeat(512)}x`])
    expect([name, isRefName(name)]).toEqual([name, false])
  for (const name of ['a', 'a-', 'a/-b', 'a@b', '@a', 'feature/ünïcode', 'x'.repeat(250), `${'x/'.repeat(511)}xx`])
    expect([name, isRefName(name)]).toEqual([name, true])
})

test('a revision is a name or an id with steps to its ancestors, and nothing else git would understand', () => {
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
  const started = performance.now()
  expect(parseRevision(`${'^'.repeat(1_000_000)}x`)).toBeNull()
  expect(performance.now() - started).toBeLessThan(200)
})

test('an object id is 40 or 64 small hexadecimal digits', () => {
  expect(['a'.repeat(40), '0'.repeat(64)].map(isObjectId)).toEqual([true, true])
  expect(['a'.repeat(39), 'a'.repeat(41), 'A'.repeat(40), 'g'.repeat(40), `${'a'.repeat(40)}\n`, ''].map(isObjectId)).toEqual(
    Array(6).fill(false),
  )
})

test('a path has no empty part, none that climbs, and no NUL', () => {
  expect(pathParts('a/b/c')).toEqual(['a', 'b', 'c'])
  expect(['', '/', '//'].map(pathParts)).toEqual([[], [], []])
  expect(pathParts('/a/')).toEqual(['a'])
  for (const path of ['..', '.', 'a/..', '../a', 'a/./b', 'a//b', 'a\0b', 'x'.repeat(4_097), `${'a/'.repeat(2_049)}b`]) {
    expect([path, pathParts(path)]).toEqual([path, null])
  }
  expect(pathParts('a\nb/ c/-d/:(glob)*/...')).toEqual(['a\nb', ' c', '-d', ':(glob)*', '...'])
})

test('a path of a million slashes is refused at once', () => {
  const started = performance.now()
  expect(pathParts(`a${'/'.repeat(1_000_000)}b`)).toBe(null)
  for (let times = 0; times < 5_000; times += 1) expect(pathParts(`a${'/'.repeat(4_000)}b`)).toBe(null)
  expect(performance.now() - started).toBeLessThan(5_000)
})

test('every path git can store is a path, part by part', () => {
  const dir = mkdtempSync(join(tmpdir(), 'gitstead-names-'))
  execFileSync('git', ['init', '--quiet', dir])
  const blob = execFileSync('git', ['-C', dir, 'hash-object', '-w', '--stdin'], { input: 'x', encoding: 'utf8' }).trim()
  const path = fc.array(fc.constantFrom('a', '.', '..', '.git', ' ', '-', ':', '*', '\n', 'é'), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(fc.array(path, { minLength: 1, maxLength: 3 }), (deep) => {
      const text = deep.map((part) => part.join('')).join('/')
      const { status } = spawnSync('git', ['-C', dir, '-c', 'core.protectNTFS=false', 'update-index', '-z', '--index-info'], {
        input: `0 ${'0'.repeat(40)}\t${text}\0`.concat(`100644 ${blob}\t${text}\0`),
      })
      const stored = status === 0 && execFileSync('git', ['-C', dir, 'ls-files', '-z'], { encoding: 'utf8' }).includes(`${text}\0`)
      if (stored) expect(pathParts(text)?.join('/')).toBe(text)
      rmSync(join(dir, '.git', 'index'), { force: true })
    }),
    { numRuns: 60 },
  )
  rmSync(dir, { recursive: true })
})

test('a path is written only when no file system takes a part of it for .git, or climbs by it', () => {
  const refused = [
    '',
    '/',
    '.git',
    '.git/x',
    'a/.git/b',
    '.GIT',
    '.Git/config',
    'git~1',
    'GIT~1/x',
    '.git ',
    '.git.',
    '.git . .',
    '.git::$INDEX_ALLOCATION',
    '.git:x',
    'git~1:x',
    '.g\u200cit',
    '\ufeff.git',
    '.git\u206f/x',
    'a\\.git\\b',
    'a\\..\\b',
    '.git\\x',
    '..',
    'a/../b',
    'a/./b',
    'a//b',
    'a\0b',
    'a\nb',
    'a\tb',
    'a\x7fb',
    'a\x01',
    'a\ud800b',
    'x'.repeat(256),
    `a/${'é'.repeat(128)}/b`,
    `${'é/'.repeat(1_400)}é`,
    'x'.repeat(4_097),
    'x'.repeat(1_000_000),
  ]
  for (const path of refused) expect([path, isWritablePath(path)]).toEqual([path, false])
  const taken = [
    'a',
    '-dash',
    '--help',
    '.gitignore',
    '.gitmodules',
    '.github/x',
    'git',
    'a.git',
    'git~',
    'a:b',
    'C:',
    '...',
    ' ',
    'ünï/😀',
    'a\\b',
    `a/${'x'.repeat(255)}`,
  ]
  for (const path of taken) expect([path, isWritablePath(path)]).toEqual([path, true])
})

test('whatever git refuses to check out anywhere is refused', () => {
  const dir = mkdtempSync(join(tmpdir(), 'gitstead-names-'))
  execFileSync('git', ['init', '--quiet', dir])
  const blob = execFileSync('git', ['-C', dir, 'hash-object', '-w', '--stdin'], { input: 'x', encoding: 'utf8' }).trim()
  const part = fc.array(fc.constantFrom('.git', '.GIT', 'git~1', '.', '..', ' ', ':', '\\', '/', '\u200d', '\u202e', 'a', '~1', 'é'), {
    minLength: 1,
    maxLength: 5,
  })
  fc.assert(
    fc.property(part, (some) => {
      const path = some.join('')
      const options = ['-c', 'core.protectNTFS=true', '-c', 'core.protectHFS=true']
      const { status } = spawnSync('git', ['-C', dir, ...options, 'update-index', '--add', '--cacheinfo', `100644,${blob},${path}`])
      if (status !== 0 && !path.startsWith('/') && !path.endsWith('/')) expect([path, isWritablePath(path)]).toEqual([path, false])
      rmSync(join(dir, '.git', 'index'), { force: true })
    }),
    { numRuns: 150 },
  )
  rmSync(dir, { recursive: true })
})

test('a ref may be made under the names that the API takes, and mirrors hold; the complaint names it', () => {
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

test('a name with characters that nobody sees is refused for branches, tags and other refs', () => {
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
    // What is there already can be read and deleted.
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
