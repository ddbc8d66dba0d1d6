/** Renders Org as far as readable texts use it. No maintained library with a free license does. The output is sanitized like all others. */
import { type Block, codeBlock, escapeHtml, heading, type ItemStart, linesOf, renderLines, type Syntax } from './indented-text.ts'
import { mapMatches } from './rdoc.ts'

/** Headings, rules, tables, fixed width and drawers, settings and comments, times of tasks. */
const special = /^\*{1,30} +\S|^\s*(?:-{5,}\s*$|\||:(?:\s|$|[\w-]{1,50}:\s*$)|#(?:\+|\s|$)|(?:SCHEDULED|DEADLINE|CLOSED):)/

const syntax: Syntax = { hasIndentedCode: false, inline, item: itemOf, begins: (line) => special.test(line), block: blockAt }

export function renderOrg(text: string): string {
  return renderLines(linesOf(text), syntax)
}

function blockAt(lines: readonly string[], index: number, depth: number): Block | null {
  const line = lines[index] ?? ''
  const [, stars, words = ''] = /^(\*{1,30}) +(\S.*)$/.exec(line) ?? []
  if (stars !== undefined) return { html: heading(stars.length, words.replace(/\s+:[\w@#%:]{1,200}:\s*$/, ''), headline), next: index + 1 }
  if (/^\s*-{5,}\s*$/.test(line)) return { html: '<hr>\n', next: index + 1 }
  if (/^\s*\|/.test(line)) return tableAt(lines, index)
  if (/^\s*:(?:\s|$)/.test(line)) return fixedWidth(lines, index)
  if (/^\s*:[\w-]/.test(line)) return drawer(lines, index)
  const [, name] = /^\s*#\+begin_(\w{1,30})\b/i.exec(line) ?? []
  if (name !== undefined) return delimited(lines, index, name, depth)
  const [, key = '', value = ''] = /^\s*#\+(\w{1,30}):\s*(.*)$/.exec(line) ?? []
  if (key.toLowerCase() === 'title') return { html: `<h1>${inline(value)}</h1>\n`, next: index + 1 }
  // Settings, comments, and times of tasks produce no output.
  return { html: '', next: index + 1 }
}

function headline(words: string): string {
  const [, state, rest = ''] = /^(TODO|DONE)\s+(.*)$/.exec(words) ?? []
  return state === undefined ? inline(words) : `<strong>${state}</strong> ${inline(rest)}`
}

function tableAt(lines: readonly string[], index: number): Block {
  let next = index
  while (/^\s*\|/.test(lines[next] ?? '')) next += 1
  const rows = lines.slice(index, next).map((line) => line.trim())
  const ruled = rows.findIndex((row) => row.startsWith('|-'))
  const rowOf = (row: string, cell: string) => {
    const cells = row.replace(/^\||\|$/g, '').split('|')
    return `<tr>${cells.map((one) => `<${cell}>${inline(one.trim())}</${cell}>`).join('')}</tr>\n`
  }
  const shown = (some: readonly string[], cell: string) => some.filter((row) => !row.startsWith('|-')).map((row) => rowOf(row, cell))
  const head = ruled > 0 ? `<thead>${shown(rows.slice(0, ruled), 'th').join('')}</thead>\n` : ''
  return { html: `<table>\n${head}<tbody>${shown(rows.slice(Math.max(0, ruled)), 'td').join('')}</tbody>\n</table>\n`, next }
}

/** Lines that begin with a colon are code. */
function fixedWidth(lines: readonly string[], index: number): Block {
  let next = index
  while (/^\s*:(?:\s|$)/.test(lines[next] ?? '')) next += 1
  return { html: codeBlock(lines.slice(index, next).map((line) => line.trimStart().slice(2))), next }
}

/** Properties produce no output. */
function drawer(lines: readonly string[], index: number): Block | null {
  const end = lines.findIndex((line, at) => at > index && /^\s*:END:\s*$/i.test(line))
  return end === -1 ? null : { html: '', next: end + 1 }
}

function delimited(lines: readonly string[], index: number, name: string, depth: number): Block | null {
  const isEnd = new RegExp(`^\\s*#\\+end_${name}\\b`, 'i')
  const end = lines.findIndex((line, at) => at > index && isEnd.test(line))
  if (end === -1) return { html: '', next: index + 1 }
  const within = lines.slice(index + 1, end)
  const made: Record<string, () => string> = {
    src: () => codeBlock(dedented(within), /^\s*#\+begin_src\s+([\w+#-]{1,30})/i.exec(lines[index] ?? '')?.[1]),
    example: () => codeBlock(dedented(within)),
    quote: () => (depth < maxQuotes ? `<blockquote>${renderLines(within, syntax, depth + 1)}</blockquote>\n` : ''),
    verse: () => `<p>${within.map((line) => inline(line.trim())).join('<br>\n')}</p>\n`,
    // Blocks for other programs: `export`, `comment`.
    export: () => '',
    comment: () => '',
  }
  const known = name.toLowerCase()
  const make = Object.hasOwn(made, known) ? made[known] : undefined
  return { html: make ? make() : depth < maxQuotes ? renderLines(within, syntax, depth + 1) : '', next: end + 1 }
}

const maxQuotes = 20

function dedented(lines: readonly string[]): string[] {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length)
  const margin = Math.min(...indents.slice(0, 10_000), Number.MAX_SAFE_INTEGER)
  return lines.map((line) => line.slice(margin))
}

/** A marker in the first column can't be a star, since that is a heading. */
function itemOf(line: string): ItemStart | null {
  const [mark, bullet, term] = /^\s*(?:([-+])|\d{1,9}[.)])\s+(?:(\S[^\n]{0,300}?)\s+::(?:\s+|$))?/.exec(line) ?? []
  if (mark === undefined) return null
  if (term !== undefined) return { kind: 'dl', term, column: mark.length }
  return { kind: bullet === undefined ? 'ol' : 'ul', column: mark.length }
}

const before = '(?<![\\p{L}\\p{N}*/_=~+])'
const after = '(?![\\p{L}\\p{N}])'
const pair = (sign: string, name: string) =>
  `${before}${sign}(?<${name}>[^\\s${sign}](?:[^${sign}\\n]{0,500}[^\\s${sign}])?)${sign}${after}`

const phrases = new RegExp(
  [
    /\[\[(?<target>[^[\]\n]{1,1000})\](?:\[(?<words>[^[\]\n]{1,1000})\])?\]/.source,
    /(?<![\w-])(?<url>(?:https?:\/\/|mailto:)[^\s<>"[\]]{1,1000}?)(?=[.,;:!?)]*(?:[\s<>"[\]]|$))/.source,
    /\[(?<box>[ xX-])\](?=\s)/.source,
    pair('=', 'verbatim'),
    pair('~', 'code'),
    pair('\\*', 'bold'),
    pair('/', 'italic'),
    pair('_', 'underlined'),
    pair('\\+', 'struck'),
    /(?<dash>---?)(?!-)/.source,
  ].join('|'),
  'gu',
)

const maxNested = 10

function inline(text: string, depth = 0): string {
  const within = (tag: string, content: string) =>
    `<${tag}>${depth < maxNested ? inline(content, depth + 1) : escapeHtml(content)}</${tag}>`
  return mapMatches(text, phrases, (found) => {
    if (found.target !== undefined) return linkTo(found.target, found.words)
    if (found.url !== undefined) return `<a href="${escapeHtml(found.url)}">${escapeHtml(found.url)}</a>`
    if (found.box !== undefined) return { ' ': '☐', '-': '◪' }[found.box] ?? '☑'
    const code = found.verbatim ?? found.code
    if (code !== undefined) return `<code>${escapeHtml(code)}</code>`
    if (found.bold !== undefined) return within('strong', found.bold)
    if (found.italic !== undefined) return within('em', found.italic)
    if (found.underlined !== undefined) return within('u', found.underlined)
    if (found.struck !== undefined) return within('del', found.struck)
    return found.dash === '---' ? '—' : '–'
  })
}

/** A target without a scheme is a file or page beside it; one that begins with a star or number sign is a heading. */
function linkTo(target: string, words: string | undefined): string {
  const path = target.replace(/^file:/, '')
  if (words === undefined && /\.(?:png|jpe?g|gif|webp|svg)$/i.test(path)) return `<img src="${escapeHtml(path)}" alt="">`
  const anchor = /^[*#](.*)$/.exec(path)?.[1]
  const address = anchor === undefined ? path.replace(/\s/g, '-') : `#${anchor.trim().toLowerCase().replace(/\s+/g, '-')}`
  return `<a href="${escapeHtml(address)}">${escapeHtml(words ?? path)}</a>`
}
