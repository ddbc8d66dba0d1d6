/** Renders RDoc. No maintained library for Node.js does. The output is sanitized like all others. */
import { codeBlock, escapeHtml, heading, type ItemStart, linesOf, renderLines, type Syntax } from './indented-text.ts'

const headingLine = /^(={1,6})\s*(\S.*)$/
const rule = /^-{3,}\s*$/
const quote = /^>>>\s*$/
const isIndented = (line: string | undefined) => line !== undefined && (line.trim() === '' || line.startsWith(' '))

const syntax: Syntax = {
  hasIndentedCode: true,
  inline,
  item: itemOf,
  begins: (line) => headingLine.test(line) || rule.test(line) || quote.test(line) || line.startsWith('```'),
  block(lines, index, depth) {
    const line = lines[index] ?? ''
    const [, signs, words = ''] = headingLine.exec(line) ?? []
    if (signs !== undefined) return { html: heading(signs.length, words, inline), next: index + 1 }
    if (rule.test(line)) return { html: '<hr>\n', next: index + 1 }
    if (line.startsWith('```')) return fence(lines, index)
    if (!quote.test(line) || depth >= maxQuotes) return null
    let next = index + 1
    while (isIndented(lines[next])) next += 1
    const within = lines.slice(index + 1, next)
    const margin = Math.min(...within.filter((one) => one.trim() !== '').map((one) => one.length - one.trimStart().length))
    const content = Number.isFinite(margin) ? within.map((one) => one.slice(margin)) : []
    return { html: `<blockquote>${renderLines(content, syntax, depth + 1)}</blockquote>\n`, next }
  },
}

const maxQuotes = 20

export function renderRdoc(text: string): string {
  return renderLines(withoutDirectives(linesOf(text)), syntax)
}

/** `:title: x` and `:stopdoc:` are for programs. Text between `--` and `++` is a comment. */
function withoutDirectives(lines: string[]): string[] {
  let isHidden = false
  return lines.filter((line) => {
    if (line === '--') isHidden = true
    const isShown = !isHidden && line !== '++' && !/^:\w+:(\s|$)/.test(line)
    if (line === '++') isHidden = false
    return isShown
  })
}

/** Code between three backticks, as in newer versions. */
function fence(lines: readonly string[], index: number) {
  const end = lines.findIndex((line, at) => at > index && line.startsWith('```'))
  const close = end === -1 ? lines.length : end
  const language = /^```\s*([\w+#-]{1,30})/.exec(lines[index] ?? '')?.[1]
  return { html: codeBlock(lines.slice(index + 1, close), language), next: close + 1 }
}

function itemOf(line: string): ItemStart | null {
  const [mark] = /^\s*[*-]\s+(?=\S)/.exec(line) ?? []
  if (mark !== undefined) return { kind: 'ul', column: mark.length }
  const [number] = /^\s*(?:\d{1,9}|[A-Za-z])\.\s+(?=\S)/.exec(line) ?? []
  if (number !== undefined) return { kind: 'ol', column: number.length }
  const [label, bracketed, before] = /^\s*(?:\[([^\]\n]{1,500})\]|(\S[^\n]{0,500}?)::)(?:\s+|$)/.exec(line) ?? []
  if (label === undefined) return null
  return { kind: 'dl', term: bracketed ?? before ?? '', column: label.length }
}

/** In the order in which they are tried at each position. */
const phrases = new RegExp(
  [
    /\\(?<escaped>[*_+`<{\\])/,
    /<(?<tag>b|em|i|s|del|tt|code)>(?<tagged>[^\n]{1,1000}?)<\/\k<tag>>/,
    /`(?<ticked>[^`\n]{1,500})`/,
    /(?<![\w+])\+(?<code>[^\s+]{1,200})\+(?!\w)/,
    /(?<![\w*])\*(?<bold>[^\s*]{1,200})\*(?!\w)/,
    /(?<![\w_])_(?<emphasis>[^\s_](?:[^\s]{0,200}?[^\s_])?)_(?!\w)/,
    /\{(?<words>[^{}\n]{1,500})\}\[(?<braced>[^\]\s]{1,1000})\]/,
    /(?<![\w.-])(?<word>[\w.-]{1,100})\[(?<bracketed>(?:https?|ftp|mailto|link|rdoc-ref|rdoc-label):[^\]\s]{1,1000})\]/,
    /(?<![\w-])(?<url>(?:https?:\/\/|mailto:|link:|rdoc-image:|rdoc-ref:)[^\s<>"]{1,1000}?)(?=[.,;:!?)]*(?:[\s<>"]|$))/,
    /(?<dash>---?)(?!-)|\((?<mark>c|r)\)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

const elements: Record<string, string> = { b: 'strong', em: 'em', i: 'em', s: 's', del: 'del', tt: 'code', code: 'code' }

function inline(text: string): string {
  return mapMatches(text, phrases, (found) => {
    if (found.escaped !== undefined) return escapeHtml(found.escaped)
    if (found.tag !== undefined) return tagged(found.tag, found.tagged ?? '')
    return emphasized(found) ?? linkTo(found.braced ?? found.bracketed ?? found.url ?? '', found.words ?? found.word)
  })
}

/** Null if the match is a link. */
function emphasized({ ticked, code = ticked, bold, emphasis, dash, mark }: Groups): string | null {
  if (code !== undefined) return `<code>${escapeHtml(code)}</code>`
  if (bold !== undefined) return `<strong>${escapeHtml(bold)}</strong>`
  if (emphasis !== undefined) return `<em>${escapeHtml(emphasis)}</em>`
  if (dash !== undefined) return dash === '---' ? '—' : '–'
  return mark === undefined ? null : mark === 'c' ? '©' : '®'
}

function tagged(tag: string, content: string): string {
  const element = elements[tag] ?? 'code'
  return `<${element}>${element === 'code' ? escapeHtml(content) : inline(content)}</${element}>`
}

/** References to classes and methods have no target here. */
function linkTo(url: string, words: string | undefined): string {
  if (url.startsWith('rdoc-image:')) return `<img src="${escapeHtml(url.slice('rdoc-image:'.length))}" alt="${escapeHtml(words ?? '')}">`
  const target = url.replace(/^(?:link|rdoc-ref|rdoc-label):/, '')
  const shown = words?.startsWith('rdoc-image:') ? linkTo(words, '') : escapeHtml(words ?? target)
  return url.startsWith('rdoc-ref:') ? shown : `<a href="${escapeHtml(url.startsWith('rdoc-label:') ? `#${target}` : target)}">${shown}</a>`
}

type Groups = Record<string, string | undefined>

/** Replaces the matches, and escapes the text between them. */
export function mapMatches(text: string, pattern: RegExp, made: (groups: Groups) => string): string {
  let html = ''
  let end = 0
  for (const found of text.matchAll(pattern)) {
    html += escapeHtml(text.slice(end, found.index)) + made(found.groups ?? {})
    end = found.index + found[0].length
  }
  return html + escapeHtml(text.slice(end))
}
