/** `only` and `except`. */
import { type Expression, parseExpression } from '../expressions/expressions.ts'
import { isRefPattern } from '../text/ref-patterns.ts'
import { isMap, isText, type Yaml } from '../yaml/values.ts'
import type { Policy } from './config.types.ts'
import { attribute, type Check, hasKnownKeys, type Location, refuse, strings } from './location.ts'

const maxPaths = 50
const blank: Policy = { refs: null, variables: null, changes: null, kubernetes: false }
/** Jobs without `only` and rules run for branches and tags, not for merge requests. */
export const defaultOnly: Policy = { ...blank, refs: ['branches', 'tags'] }

/** A pattern in slashes must be valid RE2. */
function refsOrPatterns({ patterns }: Location): Check<string[]> {
  return {
    accept: (value) => {
      const list = isText(value) ? [value] : strings.accept(value)
      return list?.every((text) => isRefPattern(text, patterns)) ? list : undefined
    },
    words: 'should be an array of strings or regular expressions using re2 syntax',
  }
}

export function readPolicy(value: Yaml, where: Location): Policy | null {
  if (Array.isArray(value) || isText(value)) {
    const { accept, words } = refsOrPatterns(where)
    const refs = accept(value)
    if (!refs) refuse(where, `config ${words}`)
    return { ...blank, refs: refs ?? [] }
  }
  if (!isMap(value)) {
    refuse(where, 'has to be either an array of conditions or a hash')
    return null
  }
  if (value.size === 0) refuse(where, "config can't be blank")
  if (!hasKnownKeys(value, where, ['refs', 'kubernetes', 'variables', 'changes'])) return null
  const kubernetes = value.get('kubernetes') ?? null
  if (kubernetes !== null && kubernetes !== 'active') refuse(where, `kubernetes unknown value: ${isText(kubernetes) ? kubernetes : ''}`)
  return {
    refs: attribute(where, value, 'refs', refsOrPatterns(where)),
    variables: readExpressions(value.get('variables') ?? null, where),
    changes: readPaths(value.get('changes') ?? null, where, 'changes'),
    kubernetes: kubernetes !== null,
  }
}

function readExpressions(value: Yaml, where: Location): Expression[] | null {
  if (value === null) return null
  const list = strings.accept(value)
  if (!list) {
    refuse(where, 'variables should be an array of strings')
    return null
  }
  const expressions = list.map((text) => parseExpression(text, where.patterns))
  if (expressions.includes(null)) refuse(where, 'variables invalid expression syntax')
  return expressions.filter((expression) => expression !== null)
}

/** File globs, at most 50. */
export function readPaths(value: Yaml, where: Location, key: string): string[] | null {
  if (value === null) return null
  const paths = strings.accept(value)
  if (!paths) refuse(where, `${key} should be an array of strings`)
  else if (paths.length > maxPaths) refuse(where, `${key} has too many entries (maximum ${maxPaths})`)
  return paths ?? []
}
