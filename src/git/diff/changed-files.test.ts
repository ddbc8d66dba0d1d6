/** The summary of a diff, as git writes it in whatever chunks, and with names that try to mislead. */
import { expect, test } from 'vitest'
import { recordSplitter } from '../process/nul-splitter.ts'
import { changesReader, maxListed } from './changed-files.ts'

function read(records: string[], ignore_space = false, chunk = 7) {
  const reader = changesReader(ignore_space)
  const take = recordSplitter(reader.take)
  const output = Buffer.from(records.map((record) => `${record}\0`).join(''))
  for (let at = 0; at < output.length; at += chunk) take(output.subarray(at, at + chunk))
  return reader.result()
}
const raw = (status: string, ...paths: string[]) => [`:100644 100644 ${'1'.repeat(40)} ${'2'.repeat(40)} ${status}`, ...paths]

test('files have their lines, renames both names, binary files no lines', () => {
  const { files, ...sums } = read([...raw('M', 'a'), ...raw('R087', 'b', 'c'), ...raw('A', 'd'), '1\t2\ta', '3\t0\t', 'b', 'c', '-\t-\td'])
  expect(sums).toEqual({ total: 3, additions: 4, deletions: 2 })
  expect(files.map(({ old_path, new_path, status, additions, deletions }) => [old_path, new_path, status, additions, deletions])).toEqual([
    ['a', 'a', 'M', 1, 2],
    ['b', 'c', 'R', 3, 0],
    ['d', 'd', 'A', null, null],
  ])
})

test('files have the modes and ids of both sides', () => {
  const [one, two] = ['1'.repeat(40), '2'.repeat(40)]
  const { files } = read([`:120000 160000 ${one} ${two} T`, 'link', '1\t1\tlink'])
  expect(files[0]).toMatchObject({ old_mode: '120000', new_mode: '160000', old_oid: one, new_oid: two, status: 'T' })
})

test('names that look like records are names', () => {
  const { files, total } = read([
    ...raw('M', ':100644 x'),
    ...raw('M', '1\t2\tz'),
    ...raw('M', 'new\nline'),
    '1\t1\t:100644 x',
    '2\t2\t1\t2\tz',
    '3\t3\tnew\nline',
  ])
  expect([total, files.map(({ new_path, additions }) => [new_path, additions])]).toEqual([
    3,
    [
      [':100644 x', 1],
      ['1\t2\tz', 2],
      ['new\nline', 3],
    ],
  ])
})

test('where spaces are ignored, files without counts have nothing else', () => {
  const { files } = read([...raw('M', 'a'), ...raw('M', 'b'), ...raw('M', 'c'), '1\t1\ta', '1\t1\tc'], true)
  expect(files.map(({ only_spaces }) => only_spaces)).toEqual([false, true, false])
})

test('the first of very many files are listed, and all are counted', () => {
  const names = Array.from({ length: maxListed + 10 }, (_, index) => `f${index}`)
  const { files, total, additions } = read(
    [...names.flatMap((name) => raw('A', name)), ...names.map((name) => `1\t0\t${name}`)],
    false,
    4096,
  )
  expect([files.length, total, additions]).toEqual([maxListed, maxListed + 10, maxListed + 10])
})
