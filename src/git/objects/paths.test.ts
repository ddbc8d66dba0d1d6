import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cpuBudget } from '../../../test/support/run/cpu.ts'
import { isWritablePath, pathParts } from './paths.ts'

cpuBudget(7, 'Thousands of paths are tried by git itself.')

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
  const started = performance.now()
  expect(pathParts(`a${'/'.repeat(1_000_000)}b`)).toBe(null)
  for (let times = 0; times < 5_000; times += 1) expect(pathParts(`a${'/'.repeat(4_000)}b`)).toBe(null)
  expect(performance.now() - started).toBeLessThan(5_000)
})

test('every path git can store is a path, part by part', () => {
  const dir = mkdtempSync(join(tmpdir(), 'gitstead-paths-'))
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

test('a path that git refuses to check out on any system is refused', () => {
  const dir = mkdtempSync(join(tmpdir(), 'gitstead-paths-'))
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
