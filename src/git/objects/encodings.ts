/**
 * Text of commits in other encodings than UTF-8, as their `encoding` header names it. The decoder of the runtime reads windows-1252 as
 * latin-1, knows no code page of DOS and no CP949, so a library decodes all but what it doesn't have itself.
 */
import { isAscii, isUtf8 } from 'node:buffer'
import iconv from 'iconv-lite'

type Decode = (bytes: Buffer) => string

/** Names by the form in which they are compared, where the library has another one or none. */
const aliases: Record<string, string> = {
  big5: 'cp950',
  cp51932: 'eucjp',
  eucjpms: 'eucjp',
  euccn: 'gb2312',
  ms932: 'cp932',
  ujis: 'eucjp',
  uhc: 'cp949',
  xsjis: 'cp932',
}

/** Encodings of the runtime. */
const ownDecoders: Record<string, string> = {
  iso2022jp: 'iso-2022-jp',
  csiso2022jp: 'iso-2022-jp',
  macintosh: 'macintosh',
  macroman: 'macintosh',
  maccyrillic: 'x-mac-cyrillic',
}

/** Encodings in which ASCII is not ASCII, by the names of the library. A message can be in them, the headers of a commit can't. */
const wide: Record<string, string> = {
  ...Object.fromEntries(['utf16', 'ucs2', 'unicode', 'iso10646ucs2', 'csunicode'].map((name) => [name, 'utf-16'])),
  ...Object.fromEntries(['utf16le', 'ucs2le', 'unicodelittle'].map((name) => [name, 'utf-16le'])),
  ...Object.fromEntries(['utf16be', 'ucs2be', 'unicodebig'].map((name) => [name, 'utf-16be'])),
  ...Object.fromEntries(['utf32', 'ucs4', 'iso10646ucs4'].map((name) => [name, 'utf-32'])),
  ...Object.fromEntries(['utf32le', 'ucs4le'].map((name) => [name, 'utf-32le'])),
  ...Object.fromEntries(['utf32be', 'ucs4be'].map((name) => [name, 'utf-32be'])),
}

/** What UTF-7 has in place of other characters than ASCII: so many units of 16 bits in base64. A `+-` is a plus. */
const shifted = /\+([A-Za-z0-9/+]*)-?/g

/** Encodings in which ASCII is ASCII. The library takes names for more than encodings, such as `hex`. */
const readable =
  /^(?:ascii|usascii|latin\d+|l\d|(?:cs)?iso8859\d+|iso88591[0-6]?|(?:cp|ibm|win|windows)\d{3,5}|koi8[rtu]|tis620|viscii|tcvn|armscii8|georgianps|hproman8|rk1048|pt154|shiftjis|sjis|eucjp|euckr|ksc\w*|gbk|gb2312|gb18030|big5hkscs)$/

/** Bytes that mean nothing in the encoding become U+FFFD. An unknown encoding is read as UTF-8. */
export function decoderOf(encoding: string | undefined): Decode {
  const name = encoding?.toLowerCase().replaceAll(/[^a-z0-9]/g, '') ?? ''
  const own = Object.hasOwn(ownDecoders, name) ? ownDecoders[name] : undefined
  if (own !== undefined) {
    const decoder = new TextDecoder(own)
    return (bytes) => decoder.decode(bytes)
  }
  const wideName = Object.hasOwn(wide, name) ? wide[name] : undefined
  if (wideName !== undefined) return (bytes) => decodeWide(bytes, wideName)
  if (name === 'utf7' || name === 'unicode11utf7') return decodeUtf7
  const known = Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name
  if (!readable.test(known) || !iconv.encodingExists(known)) return (bytes) => bytes.toString('utf8')
  return (bytes) => iconv.decode(bytes, known, { stripBOM: false })
}

/** Git writes the header that it is told and leaves the text as it is: mostly that is UTF-8, whatever the header says. */
function decodeWide(bytes: Buffer, encoding: string): string {
  if (isUtf8(bytes) && !bytes.includes(0)) return bytes.toString('utf8')
  return iconv.decode(bytes, encoding)
}

function decodeUtf7(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  const isWhole = ([all, base64 = '']: string[]) => (base64 === '' ? all === '+-' : [0, 3, 6].includes(base64.length % 8))
  const isUtf7 = isAscii(bytes) && [...text.matchAll(shifted)].every(isWhole)
  return isUtf7 ? iconv.decode(bytes, 'utf-7') : text
}
