/** Cycles among imports, for the import law. */
import { dirname } from 'node:path'

/** Cycles between files and between folders, each as a sorted list of names. */
export function circles(imports) {
  const known = [...imports].map(([file, names]) => [file, names.filter((name) => imports.has(name))])
  const folders = new Map()
  for (const [file, names] of known) {
    const folder = folderOf(file)
    const reached = folders.get(folder) ?? new Set()
    for (const name of names) if (folderOf(name) !== folder) reached.add(folderOf(name))
    folders.set(folder, reached)
  }
  return [...strongComponents(new Map(known)), ...strongComponents(folders)]
}

/** A file outside of rooms, wings and features counts as a folder of its own. */
function folderOf(file) {
  return !file.includes('/') || /^features\/([^/]+\/)?[^/]+$/.test(file) ? file : dirname(file)
}

/** The strongly connected components with more than one node, by Tarjan's algorithm. */
function strongComponents(graph) {
  const order = new Map()
  const lowest = new Map()
  const stack = []
  const found = []
  const visit = (node) => {
    order.set(node, order.size)
    lowest.set(node, order.get(node))
    stack.push(node)
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) visit(next)
      if (stack.includes(next)) lowest.set(node, Math.min(lowest.get(node), lowest.get(next)))
    }
    if (lowest.get(node) !== order.get(node)) return
    const component = stack.splice(stack.indexOf(node))
    if (component.length > 1) found.push(component.sort())
  }
  for (const node of graph.keys()) if (!order.has(node)) visit(node)
  return found
}
