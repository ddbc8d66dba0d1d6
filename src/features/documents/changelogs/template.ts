/** The template language of changelogs: text with values, conditions and loops, as the current API documents it. Pure. */
import { invalid } from '../../../failure.ts'

export type TemplateValue = string | number | boolean | null | TemplateValue[] | { readonly [name: string]: TemplateValue }

type Part =
  | { kind: 'text'; text: string }
  | { kind: 'value'; path: string[] }
  | { kind: 'if'; path: string[]; met: Part[]; otherwise: Part[] }
  | { kind: 'each'; path: string[]; body: Part[] }

export type Template = Part[]

const maxDepth = 32
/** Nested loops multiply, so output is counted while it is written. */
const maxOutput_chars = 1024 * 1024

/** Throws 400 with the error in it. */
export function parseTemplate(source: string): Template {
  return new Parser(source).parse()
}

/** Throws 400 if the output exceeds one mebibyte. */
export function fillTemplate(template: Template, values: TemplateValue): string {
  const written: string[] = []
  let left = maxOutput_chars
  const write = (text: string) => {
    left -= text.length
    if (left < 0) throw invalid('The changelog is larger than 1 MiB')
    written.push(text)
  }
  fill(template, values, write)
  return written.join('')
}

function fill(parts: Part[], values: TemplateValue, write: (text: string) => void): void {
  for (const part of parts) {
    if (part.kind === 'text') write(part.text)
    else if (part.kind === 'value') write(textOf(lookUp(values, part.path)))
    else if (part.kind === 'if') fill(holds(lookUp(values, part.path)) ? part.met : part.otherwise, values, write)
    else for (const one of itemsOf(lookUp(values, part.path))) fill(part.body, one, write)
  }
}

/** `it` is the value itself, for lists of texts. Null if there is no such value. */
function lookUp(values: TemplateValue, path: string[]): TemplateValue {
  let found = values
  for (const name of path) {
    if (name === 'it') continue
    const holder = found
    if (typeof holder !== 'object' || holder === null || Array.isArray(holder) || !Object.hasOwn(holder, name)) return null
    found = (holder as Record<string, TemplateValue>)[name] as TemplateValue
  }
  return found
}

function textOf(value: TemplateValue): string {
  return typeof value === 'object' ? '' : String(value)
}

function holds(value: TemplateValue): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value)
}

function itemsOf(value: TemplateValue): TemplateValue[] {
  return Array.isArray(value) ? value : []
}

/**
 * Parses in one pass from left to right. The line break after a tag belongs to the tag, and a backslash at the end of a line removes the
 * line break.
 */
class Parser {
  private readonly source: string
  private at = 0

  constructor(source: string) {
    this.source = source.replaceAll('\r\n', '\n')
  }

  parse(): Template {
    const { parts, ended } = this.parts(0)
    if (ended !== '') throw invalid(`The template has a {% ${ended} %} that ends nothing`)
    return parts
  }

  /** Everything up to the tag that ends this list; `''` means the end of the text. */
  private parts(depth: number): { parts: Part[]; ended: 'end' | 'else' | '' } {
    if (depth > maxDepth) throw invalid(`The template nests deeper than ${maxDepth}`)
    const parts: Part[] = []
    while (this.at < this.source.length) {
      const next = this.nextMark()
      if (next > this.at) parts.push({ kind: 'text', text: this.source.slice(this.at, next) })
      this.at = next
      if (this.source.startsWith('\\\n', next)) this.at += 2
      else if (this.source.startsWith('{{', next)) parts.push({ kind: 'value', path: pathOf(this.upTo('}}')) })
      else if (next < this.source.length) {
        const [word = '', path = '', ...more] = this.statement()
        if (more.length === 0 && path === '' && (word === 'end' || word === 'else')) return { parts, ended: word }
        parts.push(this.block(word, pathOf(path), depth))
      }
    }
    return { parts, ended: '' }
  }

  private block(word: string, path: string[], depth: number): Part {
    if (word !== 'if' && word !== 'each') throw invalid(`The template has an unknown tag: {% ${word} %}`)
    const first = this.parts(depth + 1)
    if (word === 'each' && first.ended === 'end') return { kind: 'each', path, body: first.parts }
    if (word === 'each') throw invalid('The template has an {% each %} without its {% end %}')
    const second = first.ended === 'else' ? this.parts(depth + 1) : { parts: [], ended: first.ended }
    if (second.ended !== 'end') throw invalid('The template has an {% if %} without its {% end %}')
    return { kind: 'if', path, met: first.parts, otherwise: second.parts }
  }

  private nextMark(): number {
    const marks = ['{{', '{%', '\\\n'].map((mark) => this.source.indexOf(mark, this.at)).filter((at) => at >= 0)
    return Math.min(this.source.length, ...marks)
  }

  private statement(): string[] {
    const words = this.upTo('%}').split(/\s+/).filter(Boolean)
    if (this.source[this.at] === '\n') this.at += 1
    return words
  }

  /** The content of the tag that begins here. */
  private upTo(end: string): string {
    const found = this.source.indexOf(end, this.at)
    if (found < 0) throw invalid(`The template has a tag without its ${end}`)
    const inside = this.source.slice(this.at + 2, found)
    this.at = found + 2
    return inside.trim()
  }
}

function pathOf(text: string): string[] {
  if (!/^\w+(\.[\w-]+)*$/.test(text)) throw invalid(`The template has a name that can't be one: ${text.slice(0, 100)}`)
  return text.split('.')
}
