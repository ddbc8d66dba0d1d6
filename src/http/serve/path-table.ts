/** Finds the endpoints for the path of a request. Fastify's own router takes ten times as long per path. */
import { targetOf } from '../parameters/target.ts'

/** Maximum length of a path parameter. */
export const maxParameter_chars = 8_192

export interface PathTable<T> {
  /**
   * The entry of a path with `:name` for parameters, whatever their names; `make` creates it if there is none.
   * @param hasRest whether the last parameter is the whole rest of the path, including slashes
   */
  entryOf: (path: string, make: () => T, hasRest?: boolean) => T
  /** The entry and the values of its parameters in this URL, by the rules of Fastify's router, which has accepted the URL. */
  find: (url: string) => { entry: T; values: string[] } | null
}

/** The segments that may follow a part of a path. Fixed segments take precedence over parameters. */
interface Node<T> {
  leaf: { entry: T } | null
  fixed: Map<string, Node<T>>
  /** Keyed by the text before the parameter in its segment, which is usually empty. */
  parameters: Map<string, Node<T>>
  /** The rest of the path is one parameter. */
  rest: { entry: T } | null
}

export function pathTable<T>(): PathTable<T> {
  const root = emptyNode<T>()
  return {
    entryOf(path, make, hasRest = false) {
      let node = root
      const segments = segmentsOf(path)
      for (const segment of hasRest ? segments.slice(0, -1) : segments) {
        const [prefix = '', name] = segment.split(':')
        node = childOf(name === undefined ? node.fixed : node.parameters, prefix)
      }
      const leaf = (hasRest ? node.rest : node.leaf) ?? { entry: make() }
      node[hasRest ? 'rest' : 'leaf'] = leaf
      return leaf.entry
    },
    find(url) {
      const values: string[] = []
      const leaf = leafBelow(root, segmentsOf(pathOf(url)).map(decode), 0, values)
      const isFound = leaf !== null && values.every((value) => value.length <= maxParameter_chars)
      return isFound ? { entry: leaf.entry, values } : null
    },
  }
}

function emptyNode<T>(): Node<T> {
  return { leaf: null, fixed: new Map(), parameters: new Map(), rest: null }
}

function childOf<T>(children: Map<string, Node<T>>, key: string): Node<T> {
  const child = children.get(key) ?? emptyNode<T>()
  children.set(key, child)
  return child
}

/** `values` collects the parameters on the way to the leaf. */
function leafBelow<T>(node: Node<T>, segments: string[], at: number, values: string[]): Node<T>['leaf'] {
  const segment = segments[at]
  if (segment === undefined) return node.leaf
  const fixed = node.fixed.get(segment)
  const found = fixed && leafBelow(fixed, segments, at + 1, values)
  if (found) return found
  for (const [prefix, child] of node.parameters) {
    if (!segment.startsWith(prefix)) continue
    values.push(segment.slice(prefix.length))
    const leaf = leafBelow(child, segments, at + 1, values)
    if (leaf) return leaf
    values.pop()
  }
  if (node.rest) values.push(segments.slice(at).join('/'))
  return node.rest
}

function segmentsOf(path: string): string[] {
  return path.slice(1).split('/')
}

/** Proxies may send the absolute URL. */
function pathOf(url: string): string {
  return targetOf({ url: url.startsWith('/') ? url : url.replace(/^[^/?#]*\/\/[^/?#]*/, '') }).path
}

function decode(segment: string): string {
  return segment.includes('%') ? decodeURIComponent(segment) : segment
}
