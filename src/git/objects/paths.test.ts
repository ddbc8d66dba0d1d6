import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { git, gitWriting, tryGit } from '../../../test/support/git.ts'
import { measureComputing } from '../../../test/support/run/cpu.ts'
import { inFullRun } from '../../../test/support/run/tiers.ts'
import { isWritablePath, pathParts } from './paths.ts'

test('a path has no empty part, no dot-dot and no NUL', () => {
  expect(pathParts('a/b/c')).toEqual(['a', 'b', 'c'])
  expect(['', '/', '//'].map(pathParts)).toEqual([[], [], []])
  expect(pathParts('/a/')).toEqual(['a'])
  for (const path of ['..', '.', 'a/..', '../a', 'a/./b', 'a//b', 'a\0b', 'x'.repeat(4_097), `${'a/'.repeat(2_049)}b`]) {
    expect([path, pathParts(path)]).toEqual([path, null])
  }
  expect(pathParts('a\nb/ c/-d/:(glob)*/...')).toEqual(['a\nb', ' c', '-d', ':(glob)*', '...'])
})

test('a path of a million slashes is refused at once', () => {
  const computed_ms = measureComputing()
  expect(pathParts(`a${'/'.repeat(1_000_000)}b`)).toBe(null)
  for (let times = 0; times < 5_000; times += 1) expect(pathParts(`a${'/'.repeat(4_000)}b`)).toBe(null)
  expect(computed_ms()).toBeLessThan(5_000)
})

/** A repository with a work tree, and an object to stand at the paths. */
async function repositoryOfPaths(): Promise<{ dir: string; blob: string; forget: () => Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'gitstead-paths-'))
  await git(dir, 'init', '--quiet')
  onTestFinished(() => rm(dir, { recursive: true }))
  return {
    dir,
    blob: await gitWriting(dir, 'x', 'hash-object', '-w', '--stdin'),
    forget: () => rm(join(dir, '.git', 'index'), { force: true }),
  }
}

test(
  'every path git can store is a path, part by part',
  inFullRun('Half a second of processor. A path that git refuses to check out is refused, in a test of its own.'),
  async () => {
    const { dir, blob, forget } = await repositoryOfPaths()
    const path = fc.array(fc.constantFrom('a', '.', '..', '.git', ' ', '-', ':', '*', '\n', 'é'), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(fc.array(path, { minLength: 1, maxLength: 3 }), async (deep) => {
        const text = deep.map((part) => part.join('')).join('/')
        const input = `0 ${'0'.repeat(40)}\t${text}\0`.concat(`100644 ${blob}\t${text}\0`)
        const isTaken = await gitWriting(dir, input, '-c', 'core.protectNTFS=false', 'update-index', '-z', '--index-info').then(
          () => true,
          () => false,
        )
        if (isTaken && (await git(dir, 'ls-files', '-z')).includes(`${text}\0`)) expect(pathParts(text)?.join('/')).toBe(text)
        await forget()
      }),
      { numRuns: 60 },
    )
  },
)

test('a path is written only if no file system could read a part as .git or dot-dot', () => {
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

test('a path that git refuses to check out on any system is refused', async () => {
  const { dir, blob, forget } = await repositoryOfPaths()
  const part = fc.array(fc.constantFrom('.git', '.GIT', 'git~1', '.', '..', ' ', ':', '\\', '/', '\u200d', '\u202e', 'a', '~1', 'é'), {
    minLength: 1,
    maxLength: 5,
  })
  await fc.assert(
    fc.asyncProperty(part, async (some) => {
      const path = some.join('')
      const options = ['-c', 'core.protectNTFS=true', '-c', 'core.protectHFS=true']
      const { code } = await tryGit(dir, ...options, 'update-index', '--add', '--cacheinfo', `100644,${blob},${path}`)
      if (code !== 0 && !path.startsWith('/') && !path.endsWith('/')) expect([path, isWritablePath(path)]).toEqual([path, false])
      await forget()
    }),
    { numRuns: 150 },
  )
})
