/** Reading a message: its text in any charset, its addresses and its files. */
import { expect, test } from 'vitest'
import { rawMail } from '../../../test/support/fixtures/raw-mails.ts'
import { parseMessage } from './parse-message.ts'

const usual = { from: 'Ada <ADA@example.com>', to: 'git@example.com' }
const body = (type: string, bytes: Buffer | string) => `Content-Type: ${type}\r\n\r\n${Buffer.from(bytes).toString('latin1')}\r\n`

test.each([
  [
    'HTML alone',
    body('text/html; charset=utf-8', '<p>Ja – <b>gut</b></p><script>alert(1)</script><blockquote>Why?</blockquote>'),
    'Ja – gut',
  ],
  ['Latin-1', body('text/plain; charset=iso-8859-1', Buffer.from('J\xfcrgen', 'latin1')), 'Jürgen'],
  ['KOI8-R', body('text/plain; charset=koi8-r', Buffer.from([0xe4, 0xc1])), 'Да'],
  ['Shift JIS', body('text/plain; charset=shift_jis', Buffer.from([0x82, 0xcd, 0x82, 0xa2])), 'はい'],
  ['an unknown charset', body('text/plain; charset=no-such-charset', 'plain'), 'plain'],
  ['NUL', body('text/plain', 'a\0b'), 'ab'],
  ['wrapped lines', body('text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable', 'J=C3=BCrgen=\r\n!'), 'Jürgen!'],
  [
    'both parts',
    `Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\n${body('text/html', '<p>HTML</p>')}--b\r\n${body('text/plain', 'Plain')}--b--\r\n`,
    'Plain',
  ],
])('%s is read as text', async (_, content, text) => {
  expect((await parseMessage(rawMail({ ...usual, content }).raw)).text).toBe(text)
})

test('all addresses are read, in lower case, and of several senders none', async () => {
  const headers = {
    Cc: 'List: One@example.com, two@example.com;',
    'Delivered-To': 'Three@example.com',
    'X-Original-To': '<four@example.com>',
  }
  const { from, recipients, subject } = await parseMessage(rawMail({ ...usual, headers }).raw)
  expect([from, subject]).toEqual(['ada@example.com', 'Re: Valve'])
  expect(recipients.toSorted()).toEqual(['four@example.com', 'git@example.com', 'one@example.com', 'three@example.com', 'two@example.com'])
  expect((await parseMessage(rawMail({ ...usual, from: 'a@example.com, b@example.com' }).raw)).from).toBeNull()
  const idOf = async (length: number) =>
    (await parseMessage(rawMail({ ...usual, headers: { 'Message-ID': `<${'x'.repeat(length)}@a>` } }).raw)).message_id?.length
  expect([await idOf(900), await idOf(100_000)]).toEqual([904, undefined])
})

test('files have names; no more than fifty are read, and no signatures', async () => {
  const part = (head: string) => `--b\r\n${head}\r\n\r\nx\r\n`
  const files = Array.from({ length: 60 }, (_, number) => part(`Content-Disposition: attachment; filename="${number}.txt"`))
  const others = [part('Content-Type: application/pgp-signature; name="signature.asc"'), part('Content-Type: application/pdf')]
  const content = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${[...others, ...files].join('')}--b--\r\n`
  const found = (await parseMessage(rawMail({ ...usual, content }).raw)).files
  expect([found.length, found[0]?.filename, found[0]?.bytes.toString()]).toEqual([50, '0.txt', 'x'])
})
