/** `only` and `except`. */
import { type Expression, parseExpression } from '../expressions/expressions.ts'
import { isRefPattern } from '../text/ref-patterns.ts'
import { isMap, isText, type Yaml } from '../yaml/values.ts'
import type { Policy } from './config.types.ts'
import { attribute, type Check, hasKnownKeys, type Place, refuse, strings } from './location.ts'

const maxPaths = 50
const blank: Policy = { refs: null, variables: null, changes: null, kubernetes: false }
/** Jobs without `only` and without rules run for branches and tags, not for merge requests. */
export const defaultOnly: Policy = { ...blank, refs: ['branches', 'tags'] }

/** A pattern in slashes has to be one that RE2 takes. */
function refsOrPatterns({ patterns }: Place): Check<string[]> {
  return {
    accept: (value) => {
      const list = isText(value) ? [value] : strings.accept(value)
      return list?.every((text) => isRefPattern(text, patterns)) ? list : undefined
    },
    words: 'should be an array of strings or regular expressions using re2 syntax',
  }
}

export function readPolicy(value: Yaml, place: Place): Policy | null {
  if (Array.isArray(value) || isText(value)) {
    const { accept, words } = refsOrPatterns(place)
    const refs = accept(value)
    if (!refs) refuse(place, `config ${words}`)
    return { ...blank, refs: refs ?? [] }
  }
  if (!isMap(value)) {
    refuse(place, 'has to be either an array of conditions or a hash')
    return null
  }
  if (value.size === 0) refuse(place, "config can't be blank")
  if (!hasKnownKeys(value, place, ['refs', 'kubernetes', 'variables', 'changes'])) return null
  const kubernetes = value.get('kubernetes') ?? null
  if (kubernetes !== null && kubernetes !== 'active') refuse(place, `kubernetes unknown value: ${isText(kubernetes) ? kubernetes : ''}`)
  return {
    refs: attribute(place, value, 'refs', refsOrPatterns(place)),
    variables: readExpressions(value.get('variables') ?? null, place),
    changes: readPaths(value.get('changes') ?? null, place, 'changes'),
    kubernetes: kubernetes !== null,
  }
}

function readExpressions(value: Yaml, place: Place): Expression[] | null {
  if (value === null) return null
  const list = strings.accept(value)
  if (!list) {
    refuse(place, 'variables should be an array of strings')
    return null
  }
  const expressions = list.map((text) => parseExpression(text, place.patterns))
  if (expressions.includes(null)) refuse(place, 'variables invalid expression syntax')
  return expressions.filter((expression) => expression !== null)
}

/** Globs of files: at most 50. */
export function readPaths(value: Yaml, place: Place, key: string): string[] | null {
  if (value === null) return null
  const paths = strings.accept(value)
  if (!paths) refuse(place, `${key} should be an array of strings`)
  else if (paths.length > maxPaths) refuse(place, `${key} has too many entries (maximum ${maxPaths})`)
  return paths ?? []
}
