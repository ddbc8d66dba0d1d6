/** Parses YAML of users with limits on size, depth and the expansion of aliases, in linear time. */
import {
  isAlias,
  isCollection,
  isMap as isMapNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  parseAllDocuments,
} from 'yaml'
import { plainScalar } from './scalars.ts'
import { isMap, isText, weightOf, type Yaml, type YamlMap } from './values.ts'

/** In characters. */
export const maxText = 1_048_576
/** Limit of line breaks and commas: parsing takes time for each, and blocks the event loop. */
const maxPieces = 40_000
/** Limit of simultaneously open brackets. */
const maxOpen = 1_000
const nestedInline = /(?:[-?:][ \t]){101}/
/** Limit of values, each counted wherever an alias inserts it. */
export const maxValues = 250_000
export const maxDepth = 100

export const tooBig = 'The parsed YAML is too big'
const wrongFormat = 'Invalid configuration format'

/** `spec` is the header of a file with `inputs`; null if it has none. */
export type ReadYaml = { value: YamlMap; spec: Yaml } | { error: string }

/** Parses a file whose content must be a mapping. The error is one sentence for its author. */
export function readYaml(text: string): ReadYaml {
  if (text.length > maxText || isLaborious(text)) return { error: tooBig }
  const root = parse(text)
  if (typeof root === 'string') return { error: root }
  try {
    const { value } = read(root.content, { anchors: new Map(), depth: 0 })
    const header = read(root.header, { anchors: new Map(), depth: 0 }).value
    return isMap(value) ? { value, spec: (isMap(header) && header.get('spec')) || null } : { error: wrongFormat }
  } catch (error) {
    if (error instanceof Unreadable) return { error: error.message }
    throw error
  }
}

/** Whether parsing would take too long; counts characters, so brackets in quotes count, too. */
function isLaborious(text: string): boolean {
  let pieces = 0
  let open = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '\n' || char === '\r' || char === ',') pieces++
    else if (char === '[' || char === '{') open++
    else if ((char === ']' || char === '}') && open > 0) open--
    if (pieces > maxPieces || open > maxOpen) return true
  }
  return nestedInline.test(text)
}

/** The parser recurses into nested collections, and reports its own stack overflow as an error of the file. */
const recursed = /call stack/i

interface Documents {
  /** The document with `spec`, if there is one. */
  header: Node | null
  content: Node | null
}

/** The first document, or the second after a header; or an error. */
function parse(text: string): Documents | string {
  const lines = new LineCounter()
  try {
    const documents = parseAllDocuments(text, {
      schema: 'failsafe',
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'error',
      lineCounter: lines,
    })
    const [first, second] = Array.isArray(documents) ? documents : []
    if (!first) return wrongFormat
    const hasHeader = second !== undefined && isMapNode(first.contents) && first.contents.has('spec')
    const content = hasHeader ? second : first
    const [error] = [...first.errors, ...content.errors]
    if (!error) return { header: hasHeader ? (first.contents as ParsedNode) : null, content: content.contents as ParsedNode | null }
    if (recursed.test(error.message)) return tooBig
    const { line, col } = lines.linePos(error.pos[0])
    return `(<unknown>): ${error.message} at line ${line} column ${col}`
  } catch (error) {
    if (error instanceof RangeError) return tooBig
    throw error
  }
}

class Unreadable extends Error {}

/** A value with its number of values and levels. */
interface Sized {
  value: Yaml
  size: number
  height: number
}

interface Surroundings {
  anchors: Map<string, Sized>
  depth: number
}

function read(node: unknown, around: Surroundings): Sized {
  if (around.depth > maxDepth) throw new Unreadable(tooBig)
  const sized = readNode(node, around)
  if (sized.size > maxValues || around.depth + sized.height > maxDepth) throw new Unreadable(tooBig)
  const anchor = isCollection(node) || isScalar(node) ? node.anchor : undefined
  if (anchor !== undefined) around.anchors.set(anchor, sized)
  return sized
}

function readNode(node: unknown, around: Surroundings): Sized {
  if (isAlias(node)) {
    const target = around.anchors.get(node.source)
    if (!target) throw new Unreadable(`Unknown alias: ${node.source}`)
    return target
  }
  const below = { ...around, depth: around.depth + 1 }
  if (isSeq(node)) return readSequence(node.items, node.tag, below)
  if (isMapNode(node)) return readMapping(node.items, below)
  if (!isScalar(node)) return leaf(null)
  const { value, type, tag } = node
  if (typeof value !== 'string') return leaf(value === null || value === undefined ? null : String(value))
  return leaf(type === 'PLAIN' && (tag === undefined || tag.endsWith(':str')) ? plain(value, tag) : value)
}

const leaf = (value: Yaml): Sized => ({ value, size: weightOf(value), height: 0 })

/** `!!str 1` is a string; only the source shows the tag, since the schema parses every scalar as a string. */
const plain = (value: string, tag: string | undefined) => (tag === undefined ? plainScalar(value) : value)

function readSequence(items: unknown[], tag: string | undefined, around: Surroundings): Sized {
  let size = 1
  let height = 0
  const value: Yaml[] = []
  for (const item of items) {
    const sized = read(item, around)
    size += sized.size
    height = Math.max(height, sized.height)
    if (size > maxValues) throw new Unreadable(tooBig)
    value.push(sized.value)
  }
  if (tag !== '!reference') return { value, size, height: height + 1 }
  const path = value.map((part) => (typeof part === 'number' ? String(part) : part))
  if (path.length === 0 || !path.every(isText)) throw new Unreadable('!reference should be an array of strings')
  return leaf({ reference: path })
}

function readMapping(items: { key: unknown; value: unknown }[], around: Surroundings): Sized {
  let size = 1
  let height = 0
  const value: YamlMap = new Map()
  for (const item of items) {
    const key = keyOf(item.key, around)
    const sized = read(item.value, around)
    size += sized.size
    height = Math.max(height, sized.height)
    if (size > maxValues) throw new Unreadable(tooBig)
    const merged = key === '<<' ? mappingsOf(sized.value) : []
    // Merged keys override keys before the merge key, and are overridden by keys after it, as in the reference.
    for (const [name, entry] of merged.flatMap((map) => [...map])) value.set(name, entry)
    if (merged.length === 0) value.set(key, sized.value)
  }
  return { value, size, height: height + 1 }
}

/** The mappings of a merge key, in ascending precedence. */
function mappingsOf(value: Yaml): YamlMap[] {
  if (isMap(value)) return [value]
  return Array.isArray(value) && value.every(isMap) ? [...value].reverse() : []
}

function keyOf(node: unknown, around: Surroundings): string {
  const { value } = read(node, around)
  if (typeof value === 'object' && value !== null) throw new Unreadable(wrongFormat)
  return isScalar(node) && typeof node.value === 'string' ? node.value : String(value ?? '')
}
