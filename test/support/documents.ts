/** Checks HTML documents: errors, and the targets of links. */
import { Parser } from 'htmlparser2'

export interface Document {
  /** Violations of the rules for every page, one per line. */
  faults: string[]
  /** URLs of this instance in links, images, styles and scripts. */
  links: string[]
}

interface Element {
  name: string
  attributes: Record<string, string>
}

/** Void elements. */
const withoutEnd = /^(area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr|!doctype)$/
const counted = { h1: 1, main: 1, title: 1, header: null } as const

/** Parses a page. Every element must be closed in its place, or browsers would move others. */
export function readDocument(text: string): Document {
  const elements: Element[] = []
  const open: string[] = []
  const faults: string[] = []
  const parser = new Parser({
    onopentag(name, attributes) {
      // Parts of an SVG have titles of their own.
      elements.push({ name: open.includes('svg') ? `svg ${name}` : name, attributes })
      if (!withoutEnd.test(name)) open.push(name)
    },
    onclosetag(name, isImplied) {
      if (withoutEnd.test(name)) return
      const last = open.pop()
      if (isImplied || last !== name) faults.push(`${name} is closed where ${last} is open${isImplied ? ', by nobody' : ''}`)
    },
  })
  parser.end(text)
  if (!/^<!DOCTYPE html>\s*<html lang="/.test(text)) faults.push('it does not begin as a document')
  if (/\[object |undefined|>null</.test(text)) faults.push('a value was not written as text')
  for (const [name, wanted] of Object.entries(counted)) {
    const found = elements.filter((element) => element.name === name).length
    if (wanted === null ? found === 0 : found !== wanted) faults.push(`${found} of ${name}`)
  }
  faults.push(...elements.flatMap(faultsOf), ...repeatedIds(elements), ...withoutLabel(elements))
  const addresses = elements.flatMap(({ attributes: { href, src } }) => [href ?? '', src ?? ''])
  return { faults, links: [...new Set(addresses.filter((address) => /^\/(?!\/)/.test(address)))] }
}

function faultsOf({ name, attributes }: Element): string[] {
  const scripts = Object.keys(attributes).filter((attribute) => attribute.startsWith('on'))
  return [
    ...scripts.map((attribute) => `${name} has ${attribute}`),
    ...(attributes.style !== undefined || name === 'style' ? [`${name} has a style of its own`] : []),
    ...(name === 'script' && attributes.src === undefined ? ['a script stands in the page'] : []),
    ...(name === 'img' && attributes.alt === undefined ? [`the picture ${attributes.src} has no alt`] : []),
  ]
}

function repeatedIds(elements: Element[]): string[] {
  const ids = elements.flatMap(({ attributes: { id } }) => id ?? [])
  return ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `the id ${id} stands there twice`)
}

function withoutLabel(elements: Element[]): string[] {
  const labelled = new Set(elements.flatMap(({ attributes }) => attributes.for ?? []))
  return elements
    .filter(({ name, attributes: { type } }) => /^(input|select|textarea)$/.test(name) && type !== 'hidden')
    .filter(({ attributes: { id, 'aria-label': label } }) => label === undefined && !labelled.has(id ?? ''))
    .map(({ name, attributes: { id } }) => `${name} ${id ?? 'without an id'} has no label`)
}
