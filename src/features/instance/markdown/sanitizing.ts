/** Sanitizes HTML written by users: only the elements and attributes named here are kept, with URLs made absolute. */
import type { Attributes, Options } from 'sanitize-html'
import { refusedSchemes } from './bare-links.ts'
import { idPrefix } from './placed.ts'
import { absolute, type ProjectHome, schemeOf } from './text-addresses.ts'

type Transform = (tagName: string, attribs: Attributes) => { tagName: string; attribs: Attributes }

/** Links within a text lead to elements of any kind: their ids get the prefix that links get. */
export function keepAnchors(options: Options, isLower: boolean): void {
  const own = Object.entries(options.transformTags ?? {})
  options.allowedAttributes['*'] = ['id']
  options.transformTags = {
    ...Object.fromEntries(own.map(([name, transform]): [string, Transform] => [name, (tag, attribs) => transform(tag, anchored(attribs))])),
    '*': (tagName, attribs) => {
      const kept = anchored(tagName === 'a' ? named(attribs) : attribs)
      return { tagName, attribs: isLower ? kept : withAnchor(kept) }
    },
  }
}

function anchored({ id, ...attribs }: Attributes): Attributes {
  return id === undefined ? attribs : { ...attribs, id: id.startsWith(idPrefix) ? id : idPrefix + id }
}

/** An old way to write the id of a link is its name. */
function named({ name, ...attribs }: Attributes): Attributes {
  return name === undefined ? attribs : { id: name, ...attribs }
}

function withAnchor({ href, ...attribs }: Attributes): Attributes {
  return href === undefined ? attribs : { ...attribs, href: href.startsWith('#') ? anchorOf(href) : href }
}

const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']
const blocks = [...headings, 'p', 'blockquote', 'ul', 'ol', 'li', 'dl', 'dt', 'dd', 'pre', 'div', 'hr', 'details', 'summary']
const tables = ['table', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td', 'caption']
const phrases = ['a', 'abbr', 'b', 'br', 'code', 'del', 'em', 'i', 'img', 'ins', 'kbd', 'mark', 'q', 's', 'samp', 'small', 'span']
const morePhrases = ['strike', 'strong', 'sub', 'sup', 'tt', 'u', 'var']

/** A text may name so many others. */
const maxSchemes = 50

/**
 * Only what is named here survives. No classes but those of code, and no ids without a prefix: what is written can't pass for the page
 * around it.
 */
export function optionsFor(gfm: boolean, home: ProjectHome | undefined, isLower: boolean): Options {
  const direction = gfm ? ['dir'] : []
  // Links may lead to any program but the page itself.
  const schemes = ['http', 'https', 'mailto']
  const known = (href: string) => {
    const scheme = schemeOf(href)
    const isOther = scheme !== null && !schemes.includes(scheme) && !refusedSchemes.some((refused) => scheme.includes(refused))
    if (isOther && schemes.length < maxSchemes) schemes.push(scheme)
    return href
  }
  return {
    allowedTags: [...blocks, ...tables, ...phrases, ...morePhrases, ...(isLower ? ['bdi'] : [])],
    allowedAttributes: {
      a: ['href', 'title', 'rel'],
      img: ['src', 'alt', 'title', 'width', 'height', 'align'],
      code: ['class'],
      ol: ['start', ...direction],
      ul: direction,
      p: ['align', ...direction],
      div: ['align'],
      table: ['align'],
      ...Object.fromEntries(headings.map((name) => [name, ['align', ...direction]])),
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
          ...(href !== undefined && linkTo(isLower && href.startsWith('#') ? anchorOf(href) : absolute(known(href), home, 'blob'))),
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
  return /^(?!mailto:)[a-z][a-z0-9+.-]*:/i.test(href) ? { href, rel: 'nofollow noreferrer noopener' } : { href }
}

/** Columns of a table are aligned by a style, of which nothing else is let through. */
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
  return href === '#' || href.startsWith(`#${idPrefix}`) ? href : `#${idPrefix}${href.slice(1)}`
}
