/** Commits in other encodings, against the iconv of this machine, by which git itself reads them. */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { inFullRun } from '../../../test/support/run/tiers.ts'
import { decoderOf } from './encodings.ts'

const hasIconv = spawnSync('iconv', ['--version']).status === 0

/** Null where the encoding is unknown, or a byte means nothing in it. */
function iconv(from: string, to: string, input: Buffer, ...options: string[]): Buffer | null {
  const { status, stdout } = spawnSync('iconv', [...options, '-f', from, '-t', to], { input, maxBuffer: 1 << 26 })
  return status === 0 || options.includes('-c') ? stdout : null
}

const singleBytes =
  `ISO-8859-1 ISO-8859-2 ISO-8859-3 ISO-8859-4 ISO-8859-5 ISO-8859-6 ISO-8859-7 ISO-8859-8 ISO-8859-9 ISO-8859-10 ISO-8859-11
  ISO-8859-13 ISO-8859-14 ISO-8859-15 ISO-8859-16 LATIN1 CP437 CP737 CP775 CP850 CP852 CP855 CP857 CP858 CP860 CP861 CP862 CP863 CP864
  CP865 CP866 CP869 CP874 CP1125 CP1250 CP1251 CP1252 WINDOWS-1252 CP1253 CP1254 CP1255 CP1256 CP1257 CP1258 IBM850 KOI8-R KOI8-U KOI8-T
  TIS-620 ARMSCII-8 GEORGIAN-PS VISCII RK1048 PT154 US-ASCII`.split(/\s+/)

/** A letter that a newer release of Unicode has, and this iconv doesn't. */
const newer: Record<string, number[]> = { CP1255: [0xca] }

/** All bytes in lines of their own, as iconv reads them without those that mean nothing, and where it reads none. */
function read(encoding: string): string[] {
  const bytes = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => byte !== 10)
  // One that means nothing is dropped, and its line stays empty.
  const text = iconv(encoding, 'UTF-8', Buffer.from(bytes.flatMap((byte) => [byte, 10])), '-c')?.toString('utf8') ?? ''
  return text.split('\n').slice(0, -1)
}

test.skipIf(!hasIconv)(
  'every byte of every encoding with single bytes is what iconv says, and U+FFFD where it says nothing',
  inFullRun('1 s of processor. Characters of two bytes are compared with iconv below.'),
  () => {
    for (const encoding of singleBytes) {
      const decode = decoderOf(encoding)
      const bytes = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => byte !== 10 && !newer[encoding]?.includes(byte))
      const expected = read(encoding)
      const differing = bytes.flatMap((byte) => {
        const [found, wanted] = [decode(Buffer.from([byte])), expected[byte < 10 ? byte : byte - 1] || '\ufffd']
        return found === wanted ? [] : [`${byte.toString(16)}: ${found} ${wanted}`]
      })
      expect([encoding, differing]).toEqual([encoding, []])
    }
  },
)

/**
 * Signs that releases of iconv and the web read differently: such as the wide tilde, which have two places in Unicode; private ones; new
 * ones.
 */
const ambiguous = /[\u2014\u2015\u2016\u301c\u2212\u00a2\u00a3\u00ac\u00a5\u203e\u30fb\u00b7\ue000-\uf8ff\ufe10-\ufe19\u327e]/u

const doubleBytes = 'CP932 SHIFT_JIS CP936 GBK GB2312 EUC-CN GB18030 CP949 UHC EUC-KR CP950 BIG5 EUC-JP EUCJP ISO-2022-JP'.split(' ')

/** The characters of the encoding beyond ASCII, each in a line of its own. */
function compare(encoding: string, step: number): void {
  const chars = Array.from({ length: Math.floor(0xff00 / step) }, (_, index) => String.fromCodePoint(0xa1 + index * step))
  const assigned = chars.filter((char) => !/[\ud800-\udfff]|\p{Cn}/u.test(char) && !ambiguous.test(char))
  const bytes = iconv('UTF-8', encoding, Buffer.from(`${assigned.join('\n')}\n`), '-c') ?? Buffer.alloc(0)
  const expected = iconv(encoding, 'UTF-8', bytes)?.toString('utf8').split('\n') ?? []
  const found = decoderOf(encoding)(bytes).split('\n')
  expect([encoding, found.length]).toEqual([encoding, expected.length])
  const isSame = (line: string, wanted = '') => line === wanted || ambiguous.test(wanted) || ambiguous.test(line)
  const differing = found.flatMap((line, index) => (isSame(line, expected[index]) ? [] : [`${line} ${expected[index]}`]))
  expect([encoding, differing]).toEqual([encoding, []])
  expect(expected.filter((line) => line !== '').length).toBeGreaterThan(2_000 / step)
}

test.skipIf(!hasIconv)('characters of two bytes are those of iconv: every seventeenth', () => {
  for (const encoding of doubleBytes) compare(encoding, 17)
})

test.skipIf(!hasIconv)(
  'characters of two bytes are those of iconv: every one',
  inFullRun('2 s of processor. The test above tries every seventeenth.'),
  () => {
    for (const encoding of doubleBytes) compare(encoding, 1)
  },
)

test('bytes that mean nothing become U+FFFD, cut characters too, and nothing throws', () => {
  for (const encoding of [...singleBytes, ...doubleBytes, 'macintosh', 'x-mac-cyrillic', 'BIG5-HKSCS', 'UTF-8']) {
    const decode = decoderOf(encoding)
    for (let lead = 0; lead < 256; lead += 1) expect(() => decode(Buffer.from([lead, 0xff, 0x20, lead]))).not.toThrow()
    expect([encoding, decode(Buffer.from('plain'))]).toEqual([encoding, 'plain'])
  }
  expect(decoderOf('CP932')(Buffer.from([0x93, 0xfa, 0x96]))).toBe('日\ufffd')
  expect(decoderOf('CP1252')(Buffer.from([0x93, 0x81, 0x94]))).toBe('“\ufffd”')
})

test('text whose ASCII is not ASCII is read, and UTF-8 below such a header stays what it is', () => {
  const text = 'Grüße, 日本 😀\n\nSecond line\n'
  const little = Buffer.from(text, 'utf16le')
  const big = Buffer.from(little).swap16()
  const marked = (bytes: Buffer, mark: number[]) => Buffer.concat([Buffer.from(mark), bytes])
  const wide = Buffer.alloc([...text].length * 4)
  for (const [index, char] of [...text].entries()) wide.writeUInt32LE(char.codePointAt(0) ?? 0, 4 * index)
  for (const [name, bytes] of [
    ['UTF-16', little],
    ['UTF-16', marked(little, [0xff, 0xfe])],
    ['utf16', marked(big, [0xfe, 0xff])],
    ['UTF-16LE', little],
    ['UTF-16BE', big],
    ['UCS-2', little],
    ['UTF-32', marked(wide, [0xff, 0xfe, 0, 0])],
    ['UTF-32LE', wide],
    ['UCS-4BE', Buffer.from(wide).swap32()],
    ['UTF-7', Buffer.from('Gr+APwA3w-e, +ZeVnLA +2D3eAA-\n\nSecond line\n')],
  ] as const)
    expect([name, decoderOf(name)(bytes)]).toEqual([name, text])
  for (const name of ['UTF-16', 'UTF-32BE', 'UTF-7']) expect([name, decoderOf(name)(Buffer.from(text))]).toEqual([name, text])
  expect(decoderOf('UTF-16LE')(Buffer.from('日本', 'utf16le'))).toBe('日本')
  for (const plain of ['1 + 1', 'a += b', 'C++', '+ab']) expect(decoderOf('UTF-7')(Buffer.from(plain))).toBe(plain)
  for (const name of ['UTF-16', 'UTF-32', 'UTF-32BE', 'UTF-7'])
    for (const bytes of [[], [0], [0xff], [0xd8, 0, 0xd8], [0x2b, 0x2d, 0x2b]])
      expect(() => decoderOf(name)(Buffer.from(bytes))).not.toThrow()
})

test('the header names an encoding in any form, and what is none is UTF-8', () => {
  const bytes = Buffer.from([0xa4, 0xa2])
  for (const name of ['EUC-JP', 'eucJP', 'euc_jp', 'eucjp-ms', 'ujis', 'CP51932'])
    expect([name, decoderOf(name)(bytes)]).toEqual([name, 'あ'])
  for (const name of ['windows-1252', 'Windows1252', 'cp-1252', 'CP1252'])
    expect([name, decoderOf(name)(Buffer.from([0x80]))]).toEqual([name, '€'])
  const text = Buffer.from('Grüße')
  for (const name of [undefined, '', 'utf8', 'UTF-8', 'hex', 'base64', 'utf-16', 'UTF-7', 'constructor', '__proto__', 'cp99999', '…'])
    expect([name, decoderOf(name)(text)]).toEqual([name, 'Grüße'])
})
