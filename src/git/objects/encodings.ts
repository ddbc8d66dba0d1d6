/**
 * Text of commits in other encodings than UTF-8, as their `encoding` header names it. The decoder of the runtime reads windows-1252 as
 * latin-1, knows no code page of DOS and no CP949, so a library decodes all but what it doesn't have itself.
 */
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

/**
 * Encodings in which ASCII is ASCII: a commit can't be in another one, as its headers are. The library takes names for more than
 * encodings, such as `hex`.
 */
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
  const known = Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name
  if (!readable.test(known) || !iconv.encodingExists(known)) return (bytes) => bytes.toString('utf8')
  return (bytes) => iconv.decode(bytes, known, { stripBOM: false })
}
