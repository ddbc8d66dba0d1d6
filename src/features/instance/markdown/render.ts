/** Markdown and other markup as HTML that is safe to show, whatever was written. Nothing it speaks of is fetched. Only `worker.ts` has the time for it. */
import { createHash } from 'node:crypto'
import MarkdownIt, { type Env } from 'markdown-it'
import sanitizeHtml from 'sanitize-html'
import { renderEmoji } from '../emoji.ts'
import { extend } from './extensions.ts'
import { convert, type Markup } from './formats.ts'
import { frontMatterOf } from './front-matter.ts'
import { withHeadingLinks } from './heading-links.ts'
import { highlightPrepared, prepareGrammar } from './highlight.ts'
import { withMedia } from './media.ts'
import { withPageLinks } from './page-links.ts'
import { createPlaceholders, type Placed } from './placed.ts'
import { keepAnchors, optionsFor } from './sanitizing.ts'
import { decode, openReferences, type Template } from './template.ts'
import type { ProjectHome } from './text-addresses.ts'

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

const usual = { html: true, linkify: true }
const parser = new MarkdownIt(usual)
const flavoured = extend(new MarkdownIt(usual))
const coloured = extend(new MarkdownIt({ ...usual, highlight: (code, language) => highlightPrepared(language, code) ?? '' }))
for (const { renderer } of [flavoured, coloured]) renderer.rules.text = (tokens, index) => renderEmoji(tokens[index]?.content ?? '')

/** Without the mark of byte order that some editors write before a text. */
const withoutMark = (text: string) => text.replace(/^\ufeff/, '')

/** @param converted what `prepare` made of the text */
export function render(written: string, flavour: Flavour, converted: string | null = null): string {
  const text = withoutMark(written)
  if (!flavour.gfm) return sanitizeHtml(parser.render(text), optionsFor(false, flavour.home, flavour.within_page ?? false)).trimEnd()
  const { html, fill } = renderFlavoured(text, flavour, converted)
  return fill(html)
}

/** As `render` with all extensions, but with references left open. `site` is the URL of this server. */
export function renderTemplate(text: string, flavour: Omit<Flavour, 'gfm'>, site: string, converted: string | null = null): Template {
  const { html, fill } = renderFlavoured(withoutMark(text), flavour, converted)
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
  const { elements, fill, ...placing } = createPlaceholders()
  const env: Placed = {
    ...placing,
    slugs: within_page ? new Map() : null,
    mark: createHash('sha256').update(text).digest('hex').slice(0, 8),
    isWiki: home?.wiki !== undefined,
    isFile: home?.folder !== undefined,
  }
  const options = optionsFor(true, home, within_page)
  if (converted === null) {
    options.allowedTags.push(...Object.keys(elements))
    Object.assign(options.allowedAttributes, elements)
  }
  if (converted !== null || within_page) keepAnchors(options, within_page)
  const unsafe = converted ?? (within_page ? coloured : flavoured).render(text, env as unknown as Env)
  const html = sanitizeHtml(unsafe, options).trimEnd()
  return { html: within_page ? withCodeBlocks(withHeadingLinks(withMedia(html))) : html, fill }
}

/** With script, code gets a button that copies it. The HTML is balanced. */
function withCodeBlocks(html: string): string {
  return html.replaceAll('<pre>', '<code-block><pre>').replaceAll('</pre>', '</pre></code-block>')
}

const maxGrammars = 10

/**
 * Prepares the rendering of a text asynchronously: loads the grammars of its code for a page. Resolves to the unsanitized HTML of a text in
 * another format; null for Markdown.
 */
export async function prepare(written: string, { markup = 'markdown', within_page, home }: Omit<Flavour, 'gfm'>): Promise<string | null> {
  const text = withoutMark(written)
  if (markup === 'markdown') {
    if (within_page) await prepareFences(text, home?.folder !== undefined)
    return null
  }
  const converted = await convert(markup, text)
  const linked = home?.wiki === undefined ? converted : withPageLinks(converted)
  return within_page ? withColours(linked) : linked
}

/** Loads the grammars for the code in a text that is rendered for a page. */
export function prepareFences(text: string, isFile = false): Promise<void> {
  const names = [...text.matchAll(/^[ >\t]*(?:`{3,}|~{3,})[ \t]*([\w+#-]{1,30})/gm)].map(([, name = '']) => name)
  const above = isFile ? frontMatterOf(text) : null
  return prepareGrammars(above === null ? names : [above, ...names])
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
