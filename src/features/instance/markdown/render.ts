/** Markdown as HTML that is safe to show, whatever was written. Nothing it speaks of is fetched. Only `thread.ts` has the time for it. */
import MarkdownIt from 'markdown-it'
import sanitizeHtml, { type Attributes, type Options } from 'sanitize-html'
import { renderEmoji } from '../emoji.ts'

export interface Flavour {
  /** With emoji, and the direction of each block left to its text. */
  gfm: boolean
  /** Where a project's own addresses begin: addresses without a host are meant there. */
  home?: ProjectHome | undefined
  /** Whether the page has a heading of its own: then all headings of the text are one level lower. */
  within_page?: boolean | undefined
}

export interface ProjectHome {
  /** Of its page, without a slash at its end. */
  url: string
  default_branch: string | null
}

const parser = new MarkdownIt({ html: true, linkify: true })
const flavoured = new MarkdownIt({ html: true, linkify: true })
flavoured.renderer.rules.text = (tokens, index) => renderEmoji(tokens[index]?.content ?? '')

export function render(text: string, { gfm, home, within_page = false }: Flavour): string {
  const html = (gfm ? flavoured : parser).render(text)
  return sanitizeHtml(html, optionsFor(gfm, home, within_page)).trimEnd()
}

const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']
const blocks = [...headings, 'p', 'blockquote', 'ul', 'ol', 'li', 'dl', 'dt', 'dd', 'pre', 'div', 'hr', 'details', 'summary']
const tables = ['table', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td', 'caption']
const phrases = ['a', 'abbr', 'b', 'br', 'code', 'del', 'em', 'i', 'img', 'ins', 'kbd', 'mark', 'q', 's', 'samp', 'small', 'span']
const morePhrases = ['strike', 'strong', 'sub', 'sup', 'tt', 'u', 'var']

const schemes = ['http', 'https', 'mailto']

/** Only what is named here survives. No ids and no classes but those of code: what is written can't pass for the page around it. */
function optionsFor(gfm: boolean, home: ProjectHome | undefined, isLower: boolean): Options {
  const direction = gfm ? ['dir'] : []
  return {
    allowedTags: [...blocks, ...tables, ...phrases, ...morePhrases],
    allowedAttributes: {
      a: ['href', 'title', 'rel'],
      img: ['src', 'alt', 'title', 'width', 'height'],
      code: ['class'],
      ol: ['start', ...direction],
      ul: direction,
      p: direction,
      ...Object.fromEntries(headings.map((name) => [name, direction])),
      th: ['align', 'colspan', 'rowspan'],
      td: ['align', 'colspan', 'rowspan'],
      span: ['title', 'data-name'],
      abbr: ['title'],
      details: ['open'],
    },
    allowedClasses: { code: ['language-*'] },
    allowedSchemes: schemes,
    allowedSchemesByTag: { img: ['http', 'https'] },
    allowedSchemesAppliedToAttributes: ['href', 'src'],
    allowProtocolRelative: false,
    nestingLimit: 100,
    parseStyleAttributes: false,
    transformTags: {
      a: (tagName, { rel: _, href, ...attribs }) => ({
        tagName,
        attribs: { ...attribs, ...(href !== undefined && linkTo(absolute(href, home, 'blob'))) },
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

/** Columns of a table are aligned by a style, of which nothing else is let through. */
function alignedByAttribute(tagName: string, { style, ...attribs }: Attributes) {
  const align = /^text-align:(left|center|right)$/.exec(style ?? '')?.[1]
  return { tagName, attribs: { ...attribs, ...(align && { align }) } }
}

function headingOf(gfm: boolean, isLower: boolean) {
  return (tagName: string, attribs: Attributes) => {
    const name = isLower ? `h${Math.min(6, Number(tagName.slice(1)) + 1)}` : tagName
    return gfm ? directed(name, attribs) : { tagName: name, attribs }
  }
}

function directed(tagName: string, attribs: Attributes) {
  return { tagName, attribs: { ...attribs, dir: 'auto' } }
}

/** What is written without a host leads into the project: to its uploads, or to a file of its default branch. */
function absolute(address: string, home: ProjectHome | undefined, files: 'blob' | 'raw'): string {
  if (!home || !/^[\w./-]/.test(address) || /^(\/\/|[a-z][a-z0-9+.-]*:)/i.test(address)) return address
  if (/^\/uploads\/[0-9a-f]{32}\//.test(address)) return home.url + address
  if (address.startsWith('/') || home.default_branch === null) return address
  const branch = home.default_branch.split('/').map(encodeURIComponent).join('/')
  return `${home.url}/${files}/${branch}/${address.replace(/^\.\//, '')}`
}
