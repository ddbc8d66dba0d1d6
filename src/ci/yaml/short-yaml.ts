/** Short YAML texts of users, such as front matter and settings: read in a fraction of a second, whatever they hold. */
import { isScalar, parseDocument, visit } from 'yaml'

export type ShortYaml = { mapping: Record<string, unknown> } | { error: string }

/** Limit of line breaks and commas: parsing takes time for each. */
const maxPieces = 300
/** Limit of brackets that are open at once, and of collections that begin on one line. */
const maxOpen = 10
const nestedInline = /(?:[-?:][ \t]+){6}/

/** An empty text is an empty mapping. Aliases are rejected, as a few lines could expand to gigabytes; so are mappings as keys. */
export function readShortYaml(text: string): ShortYaml {
  if (isLaborious(text)) return { error: 'It is too large, or nested too deeply' }
  const document = parseDocument(text, { schema: 'core', logLevel: 'silent', prettyErrors: false })
  const [error] = document.errors
  if (error) return { error: error.message.split('\n')[0] ?? '' }
  let hasPlainKeys = true
  visit(document, {
    Pair(_, { key }) {
      hasPlainKeys &&= isScalar(key)
      return hasPlainKeys ? undefined : visit.BREAK
    },
  })
  if (!hasPlainKeys) return { error: 'A key is no text' }
  try {
    const found: unknown = document.toJS({ maxAliasCount: 0 }) ?? {}
    return isMapping(found) ? { mapping: found } : { error: 'It is no mapping' }
  } catch (error) {
    return { error: (error as Error).message }
  }
}

function isLaborious(text: string): boolean {
  const pieces = text.match(/[\n,]/g) ?? []
  let open = 0
  let most = 0
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    open += bracket === '[' || bracket === '{' ? 1 : -1
    most = Math.max(most, open)
  }
  return pieces.length > maxPieces || most > maxOpen || nestedInline.test(text)
}

function isMapping(found: unknown): found is Record<string, unknown> {
  return typeof found === 'object' && found !== null && !Array.isArray(found) && !(found instanceof Map)
}
