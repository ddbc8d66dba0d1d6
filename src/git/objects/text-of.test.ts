import iconv from 'iconv-lite'
import { describe, expect, test } from 'vitest'
import { textOf } from './text-of.ts'

const german = '// Größe der Fläche in Quadratmetern\nconst größe = 12 // für Köln, Äpfel und Öl\n'
const french = '# Le fichier contient des caractères accentués: é, è, à, ç.\n# Où êtes-vous? Déjà vu, garçon\n'
const japanese = '// 日本語のコメント\nconst 名前 = "東京の天気は晴れです"\n'
const chinese = '// 这是一个中文注释,用于测试编码检测\nprint("你好,世界。我们在北京")\n'
const traditional = '# 這是繁體中文的註解,測試編碼\n'
const russian = '# Это комментарий на русском языке, который объясняет, что делает программа\n'
const korean = '# 한국어 주석입니다. 안녕하세요\n'

describe('a text is read in the encoding it was written in', () => {
  test.each([
    ['iso-8859-1', german],
    ['windows-1252', french],
    ['shift_jis', japanese],
    ['euc-jp', japanese],
    ['gbk', chinese],
    ['big5', traditional],
    ['windows-1251', russian],
    ['koi8-r', russian],
    ['euc-kr', korean],
    ['utf-8', `${german}${japanese}${russian}`],
  ])('%s', (encoding, text) => {
    expect(textOf(iconv.encode(text, encoding))).toBe(text)
    // Among much code in ASCII, as comments are.
    const code = 'export const answer = (question: string) => question.length\n'.repeat(2_000)
    expect(textOf(iconv.encode(code + text, encoding))).toBe(code + text)
  })
})

test('UTF-8 that is cut within a character stays UTF-8, with a sign for the rest', () => {
  const bytes = Buffer.from('// Größe der Fläche, 日本語のコメント')
  expect(textOf(bytes.subarray(0, -1))).toBe('// Größe der Fläche, 日本語のコメン\ufffd')
})

test('bytes that resemble no encoding are read all the same, at once', () => {
  expect(textOf(Buffer.alloc(0))).toBe('')
  expect(textOf(Buffer.from([0xff]))).toHaveLength(1)
  const noise = Buffer.alloc(1024 * 1024, Buffer.from([0x80, 0xff, 0xfe, 0x81, 0x41]))
  expect(textOf(noise).length).toBeGreaterThan(0)
})
