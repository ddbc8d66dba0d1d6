import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type LoggedCommit, logReader } from './commit-log.ts'

/** Reads these bytes, cut into pieces of these sizes. */
function read(bytes: Buffer, sizes: Iterator<number>): LoggedCommit[] {
  const commits: LoggedCommit[] = []
  const reader = logReader((commit) => commits.push(commit))
  for (let at = 0; at < bytes.length; ) {
    const size = sizes.next().value as number
    reader.take(bytes.subarray(at, at + size))
    at += size
  }
  reader.end()
  return commits
}

function* always(size: number): Iterator<number> {
  for (;;) yield size
}

const oid = 'a'.repeat(40)

test('the numbers of the files after a commit are added up, and binary files have none', () => {
  const text = `${oid}\n\n17\na@b\nA\0\n3\t1\tfile\0-\t-\tbinary\x002\t0\tother\0${'b'.repeat(40)}\n${oid} ${oid}\n18\nc@d\nC\0`
  expect(read(Buffer.from(text), always(1000))).toEqual([
    { oid, parents: [], committed_at: 17, email: 'a@b', name: 'A', additions: 5, deletions: 1 },
    { oid: 'b'.repeat(40), parents: [oid, oid], committed_at: 18, email: 'c@d', name: 'C', additions: 0, deletions: 0 },
  ])
})

test('a path that looks like a commit is a path', () => {
  const text = `${oid}\n\n17\na@b\nA\0\n1\t2\t${'b'.repeat(40)}\n\n17\nx@y\nX\x001\t1\t\n9\t9\tx\0`
  expect(read(Buffer.from(text), always(1000))).toMatchObject([{ oid, additions: 2, deletions: 3 }])
})

test('a truncated commit is parsed as far as it goes; no output is no commit', () => {
  expect(read(Buffer.from(`${oid}\0`), always(7))).toEqual([
    { oid, parents: [], committed_at: 0, email: '', name: '', additions: 0, deletions: 0 },
  ])
  expect(read(Buffer.alloc(0), always(1))).toEqual([])
})

const word = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\0\n]/g, ''))
const path = fc.string({ unit: 'binary', minLength: 1 }).map((text) => text.replaceAll('\0', '\n'))
const file = fc.record({ added: fc.nat(), deleted: fc.nat(), binary: fc.boolean(), path })
const logged = fc.record({ time: fc.nat(), name: word, email: word, parents: fc.nat(3), files: fc.array(file, { maxLength: 4 }) })

test('the same bytes give the same commits, in whatever pieces they come', () => {
  fc.assert(
    fc.property(fc.array(logged, { maxLength: 6 }), fc.infiniteStream(fc.integer({ min: 1, max: 90 })), (log, sizes) => {
      const text = log.map(({ time, name, email, parents, files }) => {
        const header = [oid, Array(parents).fill(oid).join(' '), time, email, name].join('\n')
        const numbers = files.map(({ added, deleted, binary, path }) => `${binary ? '-\t-' : `${added}\t${deleted}`}\t${path}\0`)
        return `${header}\0${files.length > 0 ? '\n' : ''}${numbers.join('')}`
      })
      const sum = (files: Array<{ binary: boolean }>, field: string) =>
        files.reduce((total, entry) => total + (entry.binary ? 0 : ((entry as unknown as Record<string, number>)[field] as number)), 0)
      expect(read(Buffer.from(text.join('')), sizes)).toEqual(
        log.map(({ time, name, email, parents, files }) => ({
          oid,
          parents: Array(parents).fill(oid),
          committed_at: time,
          name,
          email,
          additions: sum(files, 'added'),
          deletions: sum(files, 'deleted'),
        })),
      )
    }),
  )
})
