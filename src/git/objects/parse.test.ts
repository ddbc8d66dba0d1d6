import fc from 'fast-check'
import { expect, test } from 'vitest'
import { measureComputing } from '../../../test/support/run/cpu.ts'
import { parseCommit, parseSignature, parseTag, typeOfMode } from './parse.ts'

const oid = 'a'.repeat(40)
const lines = (...text: string[]) => Buffer.from(text.join('\n'))
const signed = (text: string) => `author ${text}\ncommitter ${text}`
const someone = signed('Ada <ada@example.com> 1700000000 +0100')

test('a commit has its tree, its parents in order, its people and its whole message', () => {
  const data = lines(`tree ${'1'.repeat(40)}`, `parent ${'2'.repeat(40)}`, `parent ${'3'.repeat(40)}`, someone, '', 'Title\n\nBody\n')
  expect(parseCommit(oid, data)).toEqual({
    oid,
    tree: '1'.repeat(40),
    parents: ['2'.repeat(40), '3'.repeat(40)],
    author: { name: 'Ada', email: 'ada@example.com', date: '2023-11-14T22:13:20.000Z' },
    committer: { name: 'Ada', email: 'ada@example.com', date: '2023-11-14T22:13:20.000Z' },
    message: 'Title\n\nBody\n',
  })
})

test('a commit without a message, and one without even the empty line, has an empty message', () => {
  expect(parseCommit(oid, lines(`tree ${oid}`, someone, '', '')).message).toBe('')
  expect(parseCommit(oid, lines(`tree ${oid}`, someone)).message).toBe('')
  expect(parseCommit(oid, lines(`tree ${oid}`, someone)).author.name).toBe('Ada')
})

test('the lines of a signature and of a merged tag are no headers', () => {
  const gpgsig = [
    'gpgsig -----BEGIN PGP SIGNATURE-----',
    ' ',
    ' author Mallory <m@example.com> 1 +0000',
    ' parent nonsense',
    ' -----END-----',
  ]
  const mergetag = [`mergetag object ${oid}`, ' tag v1', ' tagger Mallory <m@example.com> 1 +0000', ' ', ' tree nonsense']
  const commit = parseCommit(oid, lines(`tree ${'1'.repeat(40)}`, someone, ...mergetag, ...gpgsig, '', 'Signed'))
  expect(commit).toMatchObject({ tree: '1'.repeat(40), parents: [], author: { name: 'Ada' }, message: 'Signed' })
})

test('names and message are read in the encoding the commit names', () => {
  const latin1 = Buffer.from(`tree ${oid}\n${signed('J\xfcrgen <j@example.com> 1 +0000')}\nencoding ISO-8859-1\n\nGr\xfc\xdfe\n`, 'latin1')
  expect(parseCommit(oid, latin1)).toMatchObject({ author: { name: 'Jürgen' }, message: 'Grüße\n' })
  const sjis = Buffer.concat([lines(`tree ${oid}`, someone, 'encoding Shift_JIS', '', ''), Buffer.from([0x93, 0xfa, 0x96, 0x7b])])
  expect(parseCommit(oid, sjis).message).toBe('日本')
  const unknown = lines(`tree ${oid}`, someone, 'encoding klingon', '', 'Qapla’')
  expect(parseCommit(oid, unknown).message).toBe('Qapla’')
})

test('invalid UTF-8 becomes replacement characters', () => {
  const commit = parseCommit(oid, Buffer.from(`tree ${oid}\n${signed('J\xfcrgen <j@example.com> 1 +0000')}\n\n\xff\xfe`, 'latin1'))
  expect([commit.author.name, commit.message]).toEqual(['J\ufffdrgen', '\ufffd\ufffd'])
})

test('odd author lines of old repositories are parsed as far as possible', () => {
  const epoch = '1970-01-01T00:00:00.000Z'
  const cases: Array<[string, string, string, string]> = [
    ['Ada <ada@example.com> 1700000000 +051800', 'Ada', 'ada@example.com', '2023-11-14T22:13:20.000Z'],
    ['Ada <ada@example.com>1700000000 +0000', 'Ada', 'ada@example.com', '2023-11-14T22:13:20.000Z'],
    [' <> 0 +0000', '', '', epoch],
    ['Ada  <ada@example.com>', 'Ada', 'ada@example.com', epoch],
    ['Ada <ada@example.com> -86400 +0000', 'Ada', 'ada@example.com', '1969-12-31T00:00:00.000Z'],
    ['Ada <a@b>2 <c@d> 1700000000 +0000', 'Ada', 'a@b', '2023-11-14T22:13:20.000Z'],
    ['Ada <ada@example.com> 99999999999999999999 +0000', 'Ada', 'ada@example.com', epoch],
    ['Ada <ada@example.com', 'Ada', 'ada@example.com', epoch],
    ['no address at all', 'no address at all', '', epoch],
    ['', '', '', epoch],
  ]
  for (const [text, name, email, date] of cases) expect([text, parseSignature(text)]).toEqual([text, { name, email, date }])
})

test('an author line is parsed in linear time', () => {
  const used_ms = measureComputing()
  parseSignature(`${' '.repeat(300_000)}x <a@b> 1 +0000`)
  parseSignature(`x${' '.repeat(300_000)}`)
  parseSignature(`x <${'-'.repeat(300_000)}> ${'-'.repeat(300_000)}`)
  expect(used_ms()).toBeLessThan(500)
})

test('a tag has what it points to, and its message without the last newline', () => {
  const data = lines(
    `object ${'1'.repeat(40)}`,
    'type commit',
    'tag v1',
    'tagger Ada <ada@example.com> 1 +0000',
    '',
    'First\n\nobject of joy\n',
  )
  expect(parseTag(oid, data)).toEqual({
    oid,
    object: '1'.repeat(40),
    type: 'commit',
    name: 'v1',
    tagger: { name: 'Ada', email: 'ada@example.com', date: '1970-01-01T00:00:01.000Z' },
    message: 'First\n\nobject of joy',
  })
  expect(parseTag(oid, lines(`object ${oid}`, 'type tree', 'tag old', '', ''))).toMatchObject({ message: '', tagger: null })
})

test('any bytes parse as a commit and as a tag', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(parseCommit(oid, Buffer.from(bytes)).oid).toBe(oid)
      expect(parseTag(oid, Buffer.from(bytes)).oid).toBe(oid)
    }),
  )
})

test('the mode gives the type of an entry', () => {
  expect(['040000', '160000', '100644', '100755', '120000'].map(typeOfMode)).toEqual(['tree', 'commit', 'blob', 'blob', 'blob'])
})
