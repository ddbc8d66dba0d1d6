/**
 * Renders Markdown and other markup as HTML that is safe to display, whatever the input. Nothing that it refers to is fetched. Only
 * `worker.ts` has enough time for it.
 */
import { randomBytes } from 'node:crypto'
import MarkdownIt, { type Env } from 'markdown-it'
import sanitizeHtml, { type Attributes, type Options } from 'sanitize-html'
import { renderEmoji } from '../emoji.ts'
import { extend, idPrefix, type Placed } from './extensions.ts'
import { convert, type Markup } from './formats.ts'
import { highlightPrepared, prepareGrammar } from './highlight.ts'
import { withPageLinks } from './page-links.ts'
import { decode, openReferences, type Template } from './template.ts'

export interface Flavour {
  /** With emoji, formulas and task lists, and an automatic text direction for each block. */
  gfm: boolean
  /** The base URL of a project, for URLs without a host. */
  home?: ProjectHome | undefined
  /** Whether the page has a heading of its own: all headings of the text are lowered by one level then, and code is highlighted. */
  within_page?: boolean | undefined
  /** The format of the text: Markdown by default. */
  markup?: Markup | undefined
}

export interface ProjectHome {
  /** The URL of its page, without a trailing slash. */
  url: string
  /** The revision in which files are looked up: the default branch, unless the text is a file of another one. */
  default_branch: string | null
  /** On wiki pages, the URL of the wiki, which is the base of relative links instead. */
  wiki?: string | undefined
  /** For a file, its folder (empty for the root). Links are relative to it, and those with a leading slash to the root. */
  folder?: string
}

const usual = { html: true, linkify: true }
const parser = new MarkdownIt(usual)
const flavoured = extend(new MarkdownIt(usual))
const coloured = extend(new MarkdownIt({ ...usual, highlight: (code, language) => highlightPrepared(language, code) ?? '' }))
for (const { renderer } of [flavoured, coloured]) renderer.rules.text = (tokens, index) => renderEmoji(tokens[index]?.content ?? '')

/** @param converted the result of `prepare` for the text */
export function render(text: string, flavour: Flavour, converted: string | null = null): string {
  if (!flavour.gfm) return sanitizeHtml(parser.render(text), optionsFor(false, flavour.home, flavour.within_page ?? false)).trimEnd()
  const { html, fill } = renderFlavoured(text, flavour, converted)
  return fill(html)
}

/** As `render` with all extensions, but with references left open. `site` is the URL of this server. */
export function renderTemplate(text: string, flavour: Omit<Flavour, 'gfm'>, site: string, converted: string | null = null): Template {
  const { html, fill } = renderFlavoured(text, flavour, converted)
  const { pieces, references } = openReferences(html, site)
  const filled = references.map((open) => ({ ...open, html: fill(open.html), words: open.words === null ? null : fill(open.words) }))
  return { pieces: pieces.map(fill), references: filled }
}

/** Sanitized HTML, and a function that inserts our own HTML into it. */
function renderFlavoured(
  text: string,
  { home, within_page = false }: Omit<Flavour, 'gfm'>,
  converted: string | null,
): { html: string; fill: (html: string) => string } {
  // Placeholders for our own HTML are elements with a random name that nobody can have written.
  const element = `x-${randomBytes(8).toString('hex')}`
  const placed: string[] = []
  const env: Placed = {
    place: (html) => `<${element} n="${placed.push(html) - 1}"></${element}>`,
    slugs: within_page ? new Map() : null,
  }
  const options = optionsFor(true, home, within_page)
  if (converted === null) {
    options.allowedTags.push(element)
    options.allowedAttributes[element] = ['n']
  } else keepAnchors(options, within_page)
  const unsafe = converted ?? (within_page ? coloured : flavoured).render(text, env as unknown as Env)
  const html = sanitizeHtml(unsafe, options).trimEnd()
  const form = new RegExp(`<${element} n="(\\d+)"></${element}>`, 'g')
  return { html, fill: (piece) => piece.replace(form, (_, index) => placed[Number(index)] ?? '') }
}

const maxGrammars = 10

/**
 * Prepares the rendering of a text asynchronously: loads the grammars of its code for a page. Resolves to the unsanitized HTML of a text in
 * another format; null for Markdown.
 */
export async function prepare(text: string, { markup = 'markdown', within_page, home }: Omit<Flavour, 'gfm'>): Promise<string | null> {
  if (markup === 'markdown') {
    if (within_page) await prepareFences(text)
    return null
  }
  const converted = await convert(markup, text)
  const linked = home?.wiki === undefined ? converted : withPageLinks(converted)
  return within_page ? withColours(linked) : linked
}

/** Loads the grammars for code in a text that is rendered for a page. */
export function prepareFences(text: string): Promise<void> {
  return prepareGrammars([...text.matchAll(/^[ >\t]*(?:`{3,}|~{3,})[ \t]*([\w+#-]{1,30})/gm)].map(([, name = '']) => name))
}

async function prepareGrammars(names: string[]): Promise<void> {
  for (const name of [...new Set(names)].slice(0, maxGrammars)) await prepareGrammar(name)
}

const codeBlocks = /<pre[^>]*><code[^>]*\bclass="language-([\w+#-]{1,30})"[^>]*>([^<]*)<\/code><\/pre>/g

/** Highlights code in the HTML of another format. */
async function withColours(html: string): Promise<string> {
  await prepareGrammars([...html.matchAll(codeBlocks)].map(([, name = '']) => name))
  return html.replace(codeBlocks, (whole, name: string, code: string) => {
    const lines = highlightPrepared(name, decode(code))
    return lines === null ? whole : `<pre><code class="language-${name}">${lines}</code></pre>`
  })
}

type Transform = (tagName: string, attribs: Attributes) => { tagName: string; attribs: Attributes }

/** Footnotes and references of other formats link to elements of any kind, whose ids get the same prefix as the links. */
function keepAnchors(options: Options, isLower: boolean): void {
  const own = Object.entries(options.transformTags ?? {})
  options.allowedAttributes['*'] = ['id']
  options.transformTags = {
    ...Object.fromEntries(own.map(([name, transform]): [string, Transform] => [name, (tag, attribs) => transform(tag, anchored(attribs))])),
    '*': (tagName, attribs) => ({ tagName, attribs: anchored(isLower ? attribs : withAnchor(attribs)) }),
  }
}

function anchored({ id, ...attribs }: Attributes): Attributes {
  return id === undefined ? attribs : { ...attribs, id: id.startsWith(idPrefix) ? id : idPrefix + id }
}

function withAnchor({ href, ...attribs }: Attributes): Attributes {
  return href === undefined ? attribs : { ...attribs, href: href.startsWith('#') ? anchorOf(href) : href }
}

const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']
const blocks = [...headings, 'p', 'blockquote', 'ul', 'ol', 'li', 'dl', 'dt', 'dd', 'pre', 'div', 'hr', 'details', 'summary']
const tables = ['table', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td', 'caption']
const phrases = ['a', 'abbr', 'b', 'br', 'code', 'del', 'em', 'i', 'img', 'ins', 'kbd', 'mark', 'q', 's', 'samp', 'small', 'span']
const morePhrases = ['strike', 'strong', 'sub', 'sup', 'tt', 'u', 'var']

const schemes = ['http', 'https', 'mailto']

/**
 * Only what is named here is kept. No classes except those of code, and no ids except those of headings, with a prefix: user text can't
 * imitate the page around it.
 */
function optionsFor(gfm: boolean, home: ProjectHome | undefined, isLower: boolean): Options {
  const direction = gfm ? ['dir'] : []
  return {
    allowedTags: [...blocks, ...tables, ...phrases, ...morePhrases, ...(isLower ? ['bdi'] : [])],
    allowedAttributes: {
      a: ['href', 'title', 'rel'],
      img: ['src', 'alt', 'title', 'width', 'height'],
      code: ['class'],
      ol: ['start', ...direction],
      ul: direction,
      p: direction,
      ...Object.fromEntries(headings.map((name) => [name, isLower ? ['id', ...direction] : direction])),
      bdi: ['data-code'],
      th: ['align', 'colspan', 'rowspan'],
      td: ['align', 'colspan', 'rowspan'],
      span: ['title', 'data-name'],
      abbr: ['title'],
      details: ['open'],
    },
    allowedClasses: { code: ['language-*'], ...(isLower && { span: ['h-*'], bdi: ['control'] }) },
    allowedSchemes: schemes,
    allowedSchemesByTag: { img: ['http', 'https'] },
    allowedSchemesAppliedToAttributes: ['href', 'src'],
    allowProtocolRelative: false,
    nestingLimit: 100,
    parseStyleAttributes: false,
    transformTags: {
      a: (tagName, { rel: _, href, ...attribs }) => ({
        tagName,
        attribs: {
          ...attribs,
          ...(href !== undefined && linkTo(isLower && href.startsWith('#') ? anchorOf(href) : absolute(href, home, 'blob'))),
        },
      }),
      img: (tagName, { src, ...attribs }) => ({
        tagName,
        attribs: { ...attribs, ...(src !== undefined && { src: absolute(src, home, 'raw') }) },
      }),
      th: alignedByAttribute,
      td: alignedByAttribute,
      ...(gfm && Object.fromEntries(['p', 'ul', 'ol'].map((name) => [name, directed]))),
      ...((gfm || isLower) && Object.fromEntries(headings.map((name) => [name, headingOf(gfm, isLower)]))),
    },
  }
}

function linkTo(href: string): Attributes {
  return /^https?:/i.test(href) ? { href, rel: 'nofollow noreferrer noopener' } : { href }
}

/** Columns of a table are aligned by a style, of which nothing else is kept. */
function alignedByAttribute(tagName: string, { style, ...attribs }: Attributes) {
  const align = /^text-align:(left|center|right)$/.exec(style ?? '')?.[1]
  return { tagName, attribs: { ...attribs, ...(align && { align }) } }
}

function headingOf(gfm: boolean, isLower: boolean) {
  return (tagName: string, attribs: Attributes) => {
    const name = isLower ? `h${Math.min(6, Number(tagName.slice(1)) + 1)}` : tagName
    const { id, ...others } = attribs
    const kept = id?.startsWith(idPrefix) ? { ...others, id } : others
    return gfm ? directed(name, kept) : { tagName: name, attribs: kept }
  }
}

function directed(tagName: string, attribs: Attributes) {
  return { tagName, attribs: { ...attribs, dir: 'auto' } }
}

function anchorOf(href: string): string {
  return href === '#' ? href : `#${idPrefix}${href.slice(1)}`
}

/**
 * A link leads to another page, from the root of the wiki. If it begins with a dot, or names a file by its extension, it is relative to the
 * folder of the page; attachments are in a folder of the root.
 */
function inWiki(address: string, wiki: string, folder: string): string {
  if (!/^[\w.%-]/.test(address) || /^[a-z][a-z0-9+.-]*:/i.test(address)) return address
  const isBeside = /^\.{1,2}\//.test(address) || (/^[^?#]*\.[a-z0-9]{1,10}(?:[?#]|$)/i.test(address) && !address.startsWith('uploads/'))
  const within = isBeside && folder !== '' ? `${folder.split('/').map(encodeURIComponent).join('/')}/` : ''
  const resolved = URL.parse(address, `http://host/${within}`)
  return resolved?.host === 'host' ? `${wiki}${resolved.pathname}${resolved.search}${resolved.hash}` : address
}

/** A URL without a host leads into the project: to its uploads, or to a file of a revision. */
function absolute(address: string, home: ProjectHome | undefined, files: 'blob' | 'raw'): string {
  if (home?.wiki !== undefined) return inWiki(address, home.wiki, home.folder ?? '')
  if (!home || !/^[\w./?-]/.test(address) || /^(\/\/|[a-z][a-z0-9+.-]*:)/i.test(address)) return address
  if (/^\/uploads\/[0-9a-f]{32}\//.test(address)) return home.url + address
  const { folder, default_branch } = home
  if (default_branch === null || (folder === undefined && /^[/?]/.test(address))) return address
  const branch = default_branch.split('/').map(encodeURIComponent).join('/')
  const start = `${home.url}/${files}/${branch}`
  if (folder === undefined) return `${start}/${address.replace(/^\.\//, '')}`
  // Resolved here, since a path with `..` could otherwise leave the files; never above the root.
  const within = folder === '' ? '' : `${folder.split('/').map(encodeURIComponent).join('/')}/`
  const resolved = URL.parse(address, `http://host/${within}`)
  if (resolved?.host !== 'host') return address
  const { pathname, search, hash } = resolved
  // SVG images are served as text unless a page requests them as images.
  return `${start}${pathname}${files === 'raw' && /\.svg$/i.test(pathname) ? '?as=picture' : search}${hash}`
}
