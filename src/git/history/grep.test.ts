/** `git grep` finds the same whatever the locales and libraries of the machine. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { bareRepository } from '../../../test/support/fixtures/bare.ts'
import { git, gitWriting } from '../../../test/support/git.ts'
import { foldCase, spellingsIn } from '../../db/fold-case.ts'
import { commitsSaying, grepFiles, hitReader, patternOf } from './grep.ts'

const lines = [
  ...['Привет МИР', 'ΟΔΟΣ', 'όδος', 'ÅNGSTRÖM', 'ångström', 'STRASSE', 'Straße', 'STRAẞE', '日本語', 'naïve (a.b|c)*', 'NAÏVE (A.B|C)*'],
  ...['naïve (axbyc)', 'ÉCOLE {1}[2]\\^$+?', 'Қазақ', 'Ⴀ', 'ᏸ', 'Ꮿ', '𐐀𐐨', 'œuvre', 'ŒUVRE', 'plain'],
  // The Kelvin and Ångström signs, dotted and dotless i, and letters written with combining marks.
  ...['Kelvin', 'KELVIN', 'Ångström', 'İSTANBUL', 'istanbul', 'Taksİ', 'taksi', 'ISTANBUL', 'ısı', 'Ärger', 'A\u0308rger', 'e\u0301cole'],
]

async function repositoryOf(content: string) {
  const repo = await bareRepository()
  const blob = await gitWriting(repo.dir, content, 'hash-object', '-w', '--stdin')
  const tree = await gitWriting(repo.dir, `100644 blob ${blob}\ta.txt\n`, 'mktree')
  const messages = lines.map((line) => `${line}\n\nSecond line`)
  let tip = ''
  const named = new Map<string, string>()
  for (const message of messages) {
    tip = await gitWriting(repo.dir, message, 'commit-tree', ...(tip === '' ? [] : ['-p', tip]), '-F', '-', tree)
    named.set(tip, message)
  }
  await git(repo.dir, 'update-ref', 'refs/heads/main', tip)
  return { repo, tip, named }
}

test('each line and message is found by itself and by every text that folds to the same letters', async () => {
  const { repo, tip, named } = await repositoryOf(lines.map((line) => `${line}\n`).join(''))
  for (const line of lines)
    for (const text of new Set([line, line.toLowerCase(), line.toUpperCase()])) {
      const sought = { text, spellings: spellingsIn }
      const { hits } = await grepFiles(repo, tip, { ...sought, context: 0, limit: 100, keeps: () => true })
      const found = hits.flatMap(({ data }) => data.split('\n').filter(Boolean))
      expect([text, found]).toEqual([text, lines.filter((one) => foldCase(one).includes(foldCase(text)))])
      const saying = await commitsSaying(repo, tip, sought, 100)
      const wanted = [...named].filter(([, message]) => foldCase(message).includes(foldCase(text))).map(([oid]) => oid)
      expect([text, saying.sort()]).toEqual([text, wanted.sort()])
    }
})

test('only a text with letters that have spellings beyond ASCII becomes a regular expression, in which signs mean themselves', () => {
  const pattern = (text: string) => patternOf({ text, spellings: spellingsIn })
  expect(pattern('a.*b 日本')).toEqual({ pattern: 'a.*b 日本', isFixed: true })
  expect(pattern('kilo')).toEqual({ pattern: '(k|\u212a)ilo', isFixed: false })
  expect(pattern('é.*')).toEqual({ pattern: '(é|É)\\.\\*', isFixed: false })
})

const commit = 'c'.repeat(40)
const record = (path: string, line: number, text: string) => Buffer.from(`${commit}:${path}\0${line}\0${text}\n`)

test('of a line as long as its file a hit has the beginning, and no more of it is kept than is read at once', () => {
  const kept: number[] = []
  const reader = hitReader(commit, () => true)
  const concat = vi.spyOn(Buffer, 'concat')
  onTestFinished(() => concat.mockRestore())
  const sent = Buffer.concat([record('long', 1, 'x'.repeat(40 * 1024 * 1024)), record('short', 7, 'found')])
  for (let at = 0; at < sent.length; at += 64 * 1024) {
    reader.take(sent.subarray(at, at + 64 * 1024))
    kept.push(concat.mock.results.at(-1)?.value.length)
  }
  const hits = reader.end()
  expect(hits.map(({ path, startline, data }) => [path, startline, data.length])).toEqual([
    ['long', 1, 8 * 1024],
    ['short', 7, 6],
  ])
  expect(Math.max(...kept.slice(1))).toBeLessThan(1.2 * 1024 * 1024)
})

test('neighbouring lines are one hit, of which the beginning is kept', () => {
  const reader = hitReader(commit, (path) => path !== 'unwanted')
  for (let line = 1; line <= 1_000; line += 1) reader.take(record('many', line, 'y'.repeat(100)))
  for (let line = 1; line <= 1_000; line += 1) reader.take(record('unwanted', line, 'y'))
  expect(reader.end().map(({ path, data }) => [path, data.length])).toEqual([['many', 8 * 1024]])
  expect(reader.isCut()).toBe(true)
})
