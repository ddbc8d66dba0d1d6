/** HTML of ours in what users wrote: elements that nobody can have written stand for it until the text has been cleaned. */
import { randomBytes } from 'node:crypto'
import type { Env } from 'markdown-it'

/** Elements of ours that hold text of users. */
const around = ['div', 'ins', 'del'] as const

/** State of a rendering. */
export interface Placed {
  /** The HTML that stands for `html`. */
  place: (html: string) => string
  /** The HTML that stands for the beginning of an element of ours, which ends with `leave`. */
  enter: (name: (typeof around)[number], attributes: string) => string
  leave: (name: (typeof around)[number]) => string
  /** How many headings have each slug; null where headings get no ids. */
  slugs: Map<string, number> | null
  /** Tells the ids of this text from those of others on the same page. */
  mark: string
  /** Whether `[[page]]` is a link. */
  isWiki: boolean
  /** Whether the text may begin with front matter. */
  isFile: boolean
}

export interface Placeholders extends Pick<Placed, 'place' | 'enter' | 'leave'> {
  /** The elements, by which attributes they have. */
  elements: Record<string, string[]>
  /** Clean HTML with our own in its place. */
  fill: (html: string) => string
}

export function createPlaceholders(): Placeholders {
  const element = `x-${randomBytes(8).toString('hex')}`
  const placed: string[] = []
  const keep = (html: string) => placed.push(html) - 1
  const form = new RegExp(`<${element} n="(\\d+)"></${element}>|<${element}-(\\w+) n="(\\d+)">|</${element}-(\\w+)>`, 'g')
  return {
    place: (html) => `<${element} n="${keep(html)}"></${element}>`,
    enter: (name, attributes) => `<${element}-${name} n="${keep(attributes)}">`,
    leave: (name) => `</${element}-${name}>`,
    elements: Object.fromEntries([element, ...around.map((name) => `${element}-${name}`)].map((name) => [name, ['n']])),
    fill: (html) =>
      html.replace(form, (_, index?: string, entered?: string, attributes?: string, left?: string) => {
        if (index !== undefined) return placed[Number(index)] ?? ''
        return entered === undefined ? `</${left}>` : `<${entered}${placed[Number(attributes)] ?? ''}>`
      }),
  }
}

export function placedIn(env: Env | undefined): Placed {
  return env as unknown as Placed
}

/** Begins every id that the text of users makes. */
export const idPrefix = 'user-content-'

/** The id of a heading, without its prefix, as links in texts expect it. */
export function slugOf(words: string): string {
  return words
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
}
