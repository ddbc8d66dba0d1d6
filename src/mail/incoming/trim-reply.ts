/**
 * Cuts what the sender of a reply has not written: quotes, signatures, and what mail programs write above a quote. It goes by lines, as
 * `email_reply_trimmer` of the reference release does, and takes linear time.
 */
import { withoutTrailing } from '../../text/trailing.ts'

/** Each line is classified by itself, before its neighbours are considered. */
type Kind = 'empty' | 'text' | 'quote' | 'delimiter' | 'signature' | 'marker' | 'header'

interface Line {
  text: string
  kind: Kind
}

/** A line of nothing but these ends what was written: `-- `, `____`, `***`. */
const delimiter = /^[\s\-_,=+~#*—]+$/
const quote = /^\s*(\p{Lu}{1,4})?>/u

const devices =
  '(?:i(?:phone|pad|pod|os)|android|blackberry|samsung|huawei|galaxy|windows|nokia|mobile|handheld|phone|outlook|mail|yahoo|proton)'
const signatures = [
  // English, German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Polish.
  /^\s*sent (?:from|with|via|by|using) \S.{0,80}$/i,
  /^\s*get outlook for \S/i,
  /^\s*(?:(?:diese nachricht wurde )?von meine[mr] .{1,60} gesendet|gesendet (?:von|mit|aus) (?:meine[mr]|der|outlook|yahoo|mail)\b.{0,60})\.?$/i,
  new RegExp(
    String.raw`^\s*(?:envoyé|télécharger|enviado|inviato|verzonden|skickat|skickades|wysłano|odesláno)\s+(?:\S+\s+){0,5}?\S*${devices}`,
    'i',
  ),
  /^\s*从我的.{1,40}发送/,
  /^\s*отправлено (?:с|из) \S/i,
]

/** The line that mail programs write above a quote, with its author and date. */
const markers = [
  // "On Friday, Ada <ada@example.com> wrote:", and its forms in other languages. In German a name follows the verb.
  /^[\s*]*(?:on|le|el|il|op|em|den|dnia|w dniu|pe|dne|на|в)\s.{0,400}\s(?:wrote|writes|a écrit|escribió|ha scritto|schreef|escreveu|skrev|napisał\(?a?\)?|pisze|scris|napsal\(?a?\)?|написал\(?а?\)?|пишет)\s?[:：]\s*$/i,
  /^[\s*]*am\s.{0,400}\sschrieb\s.{1,120}:\s*$/i,
  // "Ada <ada@example.com> wrote:" or "2030-01-01 10:00 GMT+01:00 Ada <ada@example.com>:"
  /^.{0,300}<[^<>\s]{1,250}@[^<>\s]{1,250}>(?:.{0,80})?[:：]\s*$/,
  /^[\s*>]*-{3,}\s*(?:original message|forwarded message|ursprüngliche nachricht|weitergeleitete nachricht|message d['’]origine|mensaje original|messaggio originale|mensagem original|oorspronkelijk bericht|ursprungligt meddelande|wiadomość oryginalna|original appointment|原始邮件|исходное сообщение)\s*-{3,}\s*$/i,
  /^\s*_{10,}\s*$/,
]
const markerStart = /^[\s*]*(?:on|am|le|el|il|op|em|den|dnia|w dniu|pe|dne|на|в)\s/i

/** `From: Ada`, as mail programs repeat the headers of what they quote. */
const header =
  /^[\s*_]*(?:from|to|cc|bcc|sent|date|subject|reply-to|importance|von|an|gesendet|datum|betreff|de|à|envoyé|objet|enviado|enviada|para|asunto|assunto|da|inviato|oggetto|van|aan|verzonden|onderwerp|från|till|skickat|ämne|od|do|wysłano|temat)[*_]*\s?[:：][*_]*(?:\s|$)/i

/** Twice what a comment may have: only quotes are longer. */
const maxText_chars = 2_000_000
/** Lines of a marker that is wrapped. */
const maxWrapped = 4
/** More text than this below a quote was written there on purpose. */
const maxBelowQuote = 6

/** Empty if all is quoted. */
export function trimReply(text: string): string {
  const lines = linesOf(text)
  const written = withoutHeaders(withoutQuotes(untilDelimiter(lines)))
  const kept = written.some(isWritten) ? withoutTail(written, ['quote', 'empty']) : []
  return kept
    .map((line) => withoutTrailing(line.text, ' \t'))
    .join('\n')
    .trimEnd()
    .replace(/^\n+/, '')
}

function linesOf(text: string): Line[] {
  const lines = text
    .slice(0, maxText_chars)
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .split('\n')
  const found: Line[] = []
  for (let at = 0; at < lines.length; at += 1) {
    const wrapped = wrappedMarker(lines, at)
    if (wrapped > 0) {
      found.push({ text: lines.slice(at, at + wrapped).join(' '), kind: 'marker' })
      at += wrapped - 1
    } else found.push({ text: lines[at] as string, kind: kindOf(lines[at] as string) })
  }
  return found
}

/** The number of lines over which a marker goes from here; 0 for none. */
function wrappedMarker(lines: string[], at: number): number {
  if (!markerStart.test(lines[at] as string)) return 0
  for (let count = 2; count <= maxWrapped; count += 1) {
    const next = lines[at + count - 1]
    if (next === undefined || next.trim() === '' || quote.test(next)) return 0
    if (isMarker(lines.slice(at, at + count).join(' '))) return count
  }
  return 0
}

/** The longest line that is looked at: nobody's program writes longer ones by itself. */
const maxLine_chars = 1_000

function kindOf(line: string): Kind {
  if (line.trim() === '') return 'empty'
  if (line.length > maxLine_chars) return 'text'
  if (isMarker(line)) return 'marker'
  if (quote.test(line)) return 'quote'
  if (delimiter.test(line)) return 'delimiter'
  if (signatures.some((one) => one.test(line))) return 'signature'
  return header.test(line) ? 'header' : 'text'
}

function isMarker(line: string): boolean {
  return line.length <= maxLine_chars && markers.some((one) => one.test(line))
}

function isWritten({ kind }: Pick<Line, 'kind'>): boolean {
  return kind === 'text' || kind === 'header'
}

function untilDelimiter(lines: Line[]): Line[] {
  const end = lines.findIndex(({ kind }) => kind === 'delimiter')
  return (end < 0 ? lines : lines.slice(0, end)).filter(({ kind }) => kind !== 'signature')
}

/** A marker below text ends it, unless replies stand between the quotes below: then quotes stay, and markers go. */
function withoutQuotes(lines: Line[]): Line[] {
  const end = endBefore(lines)
  const kept = end < 0 ? lines : lines.slice(0, end)
  const trimmed = kept.some(isWritten) ? withoutTail(kept, ['quote', 'marker', 'empty']) : kept
  return trimmed.filter(({ kind }) => kind !== 'marker')
}

/** The index of the marker that ends the sender's own text; -1 if there is none. */
function endBefore(lines: Line[]): number {
  const lastQuote = lines.findLastIndex(({ kind }) => kind === 'quote')
  // Below the last quote, or what goes on to it without a reply, there may be a few lines: a name, a greeting.
  const tail = lines.findLastIndex(({ kind }) => kind !== 'text' && kind !== 'empty') + 1
  const below = lines.slice(tail).filter(({ kind }) => kind === 'text').length
  const between = lines.slice(0, tail).findLastIndex(({ kind }) => kind === 'text')
  let hasText = false
  for (const [at, { kind }] of lines.entries()) {
    if (isWritten({ kind })) hasText = true
    if (kind !== 'marker' || !hasText) continue
    if (at > lastQuote) return at
    if (at > between && below <= maxBelowQuote) return at
  }
  return -1
}

const minHeaders = 3

/** Three headers together are those of a quoted message, and what follows is its text; fewer may be the sender's own words. */
function withoutHeaders(lines: Line[]): Line[] {
  let count = 0
  let hasText = false
  for (const [at, { kind }] of lines.entries()) {
    count = kind === 'header' ? count + 1 : 0
    if (kind === 'text') hasText = true
    if (count === minHeaders && hasText) return lines.slice(0, at + 1 - minHeaders)
  }
  return lines
}

function withoutTail(lines: Line[], kinds: readonly Kind[]): Line[] {
  return lines.slice(0, lines.findLastIndex(({ kind }) => !kinds.includes(kind)) + 1)
}
