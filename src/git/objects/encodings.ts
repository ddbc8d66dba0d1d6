/**
 * Decodes commits in encodings other than UTF-8, as named in their `encoding` header. The runtime's decoder reads windows-1252 as latin-1
 * and lacks the DOS code pages and CP949, so a library decodes everything it has itself.
 */
import { isAscii, isUtf8 } from 'node:buffer'
import iconv from 'iconv-lite'

type Decode = (bytes: Buffer) => string

/** Names as normalized for comparison, where the library has a different name or none. */
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

/** Encodings that only the runtime decodes. */
const ownDecoders: Record<string, string> = {
  iso2022jp: 'iso-2022-jp',
  csiso2022jp: 'iso-2022-jp',
  macintosh: 'macintosh',
  macroman: 'macintosh',
  maccyrillic: 'x-mac-cyrillic',
}

/** Encodings in which ASCII bytes are not ASCII, by the library's names. A message can use them, the headers of a commit can't. */
const wide: Record<string, string> = {
  ...Object.fromEntries(['utf16', 'ucs2', 'unicode', 'iso10646ucs2', 'csunicode'].map((name) => [name, 'utf-16'])),
  ...Object.fromEntries(['utf16le', 'ucs2le', 'unicodelittle'].map((name) => [name, 'utf-16le'])),
  ...Object.fromEntries(['utf16be', 'ucs2be', 'unicodebig'].map((name) => [name, 'utf-16be'])),
  ...Object.fromEntries(['utf32', 'ucs4', 'iso10646ucs4'].map((name) => [name, 'utf-32'])),
  ...Object.fromEntries(['utf32le', 'ucs4le'].map((name) => [name, 'utf-32le'])),
  ...Object.fromEntries(['utf32be', 'ucs4be'].map((name) => [name, 'utf-32be'])),
}

/** UTF-7 writes characters outside of ASCII as UTF-16 in base64. `+-` is a plus. */
const shifted = /\+([A-Za-z0-9/+]*)-?/g

/** Encodings that contain ASCII. The library also accepts names that aren't encodings, such as `hex`. */
const readable =
  /^(?:ascii|usascii|latin\d+|l\d|(?:cs)?iso8859\d+|iso88591[0-6]?|(?:cp|ibm|win|windows)\d{3,5}|koi8[rtu]|tis620|viscii|tcvn|armscii8|georgianps|hproman8|rk1048|pt154|shiftjis|sjis|eucjp|euckr|ksc\w*|gbk|gb2312|gb18030|big5hkscs)$/

/** Invalid bytes become U+FFFD. An unknown encoding is read as UTF-8. */
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

/** Git writes whatever header it is told and doesn't convert the text: usually it is UTF-8 in spite of the header. */
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
