/** `$NAME`, `${NAME}` and `%NAME%` in texts. */
import type { PlannedVariable } from '../plan.ts'

/** The value of a variable; undefined if there is none. */
export type Lookup = (name: string) => string | undefined

const mention = /\$\$|%%|\$([a-zA-Z_]\w*)|\$\{([a-zA-Z_]\w*)?\}|%([a-zA-Z_]\w*)%/g
/** Variables that contain each other would otherwise grow without limit. */
const maxExpanded_chars = 65_536

/** Replaces each variable in the text, unknown ones by nothing. `$$` is kept. */
export function expand(text: string, lookup: Lookup): string {
  if (!text.includes('$') && !text.includes('%')) return text
  let left = maxExpanded_chars
  let expanded = ''
  let at = 0
  for (const match of text.matchAll(mention)) {
    const [whole, plain, braced, percent] = match
    const value = whole === '$$' || whole === '%%' ? whole : (lookup(plain ?? braced ?? percent ?? '') ?? '')
    const before = text.slice(at, match.index)
    left -= before.length + value.length
    if (left < 0) return text
    expanded += before + value
    at = match.index + whole.length
  }
  const rest = text.slice(at)
  return rest.length > left ? text : expanded + rest
}

/** Looks variables up in these lists; later lists take precedence. Values are not expanded. */
export function lookupIn(...lists: Iterable<PlannedVariable>[]): (name: string) => PlannedVariable | undefined {
  const byKey = new Map<string, PlannedVariable>()
  for (const list of lists) for (const variable of list) byKey.set(variable.key, variable)
  return (name) => byKey.get(name)
}

/** Also expands the values, each once. A variable that contains itself, directly or indirectly, is left as written. */
export function expandedLookup(find: (name: string) => PlannedVariable | undefined): Lookup {
  const known = new Map<string, string>()
  const open = new Set<string>()
  const lookup: Lookup = (name) => {
    const value = known.get(name)
    if (value !== undefined) return value
    const variable = find(name)
    if (!variable) return undefined
    if (variable.raw || open.has(name) || open.size > 50) return variable.value
    open.add(name)
    const expanded = expand(variable.value, lookup)
    open.delete(name)
    known.set(name, expanded)
    return expanded
  }
  return lookup
}
