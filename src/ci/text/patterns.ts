/** The regular expressions and globs of one CI file: each compiled once, with common limits on their size and on comparisons. */
import type { RE2JS } from 're2js'
import { type CompiledGlob, compileGlob } from './glob.ts'
import { compileLiteral } from './regex.ts'

/** Only this much of a longer text is searched. Commit messages and variables are shorter. */
const maxText_chars = 65_536
/** Limit for one list of globs; beyond it everything counts as a match. The reference has the same limit for `exists`. */
const maxComparisons = 50_000

export interface PatternLimits {
  /** Instructions of all patterns together; each takes about 800 bytes. */
  compiled: number
  /** The sum of instructions times characters over all comparisons; in the worst case 100 million take a few seconds. */
  compared: number
}

const limitsOfFile: PatternLimits = { compiled: 100_000, compared: 200_000_000 }

/** The patterns of a file are too many or too large. The message is for its author. */
export class PatternsTooCostly extends Error {
  constructor() {
    super('The regular expressions of the file take too long to match')
  }
}

export interface Patterns {
  /** Whether it is `/pattern/flags` and valid RE2. Throws `PatternsTooCostly`. */
  accepts: (pattern: string) => boolean
  /** Whether the pattern occurs in the text; an invalid pattern never does. Throws `PatternsTooCostly`. */
  isFound: (pattern: string, text: string) => boolean
  /**
   * Whether one of the paths matches one of the globs. Beyond the limits everything matches: an unneeded job is better than a missing one.
   */
  matchesAny: (globs: string[], paths: string[]) => boolean
  /** The paths that a glob matches. Throws `PatternsTooCostly`. */
  matching: (glob: string, paths: string[]) => string[]
}

export function createPatterns(limits: PatternLimits = limitsOfFile): Patterns {
  const left = { ...limits }
  const finders = new Map<string, { compiled: RE2JS; text: string | null; found: boolean } | null>()
  const globs = new Map<string, CompiledGlob>()

  function finderOf(pattern: string) {
    const known = finders.get(pattern)
    if (known !== undefined) return known
    const compiled = compileLiteral(pattern)
    left.compiled -= compiled?.programSize() ?? 1
    if (left.compiled < 0) throw new PatternsTooCostly()
    const finder = compiled && { compiled, text: null, found: false }
    finders.set(pattern, finder)
    return finder
  }

  /** Null beyond the limit. */
  function globOf(glob: string): CompiledGlob | null {
    const known = globs.get(glob)
    if (known) return known
    const compiled = compileGlob(glob)
    left.compiled -= compiled.instructions + 1
    if (left.compiled < 0) return null
    globs.set(glob, compiled)
    return compiled
  }

  /** Null beyond the limit. */
  function compare({ prefix, instructions, matches }: CompiledGlob, path: string): boolean | null {
    const isCandidate = path.startsWith(prefix)
    left.compared -= 1 + (isCandidate ? instructions * (path.length - prefix.length) : 0)
    if (left.compared < 0) return null
    return isCandidate && matches(path)
  }

  return {
    accepts: (pattern) => finderOf(pattern) !== null,
    isFound(pattern, given) {
      const finder = finderOf(pattern)
      if (!finder) return false
      const text = given.slice(0, maxText_chars)
      // Many jobs ask the same about the same text.
      if (finder.text === text) return finder.found
      left.compared -= finder.compiled.programSize() * (text.length + 1)
      if (left.compared < 0) throw new PatternsTooCostly()
      finder.text = text
      finder.found = finder.compiled.matcher(text).find()
      return finder.found
    },
    matchesAny(wanted, paths) {
      let comparisons = maxComparisons
      const all = new Set(paths)
      for (const glob of wanted) {
        if (all.has(glob)) return true
        const compiled = globOf(glob)
        if (!compiled) return true
        for (const path of compiled.instructions === 0 ? [] : paths)
          if (comparisons-- === 0 || compare(compiled, path) !== false) return true
      }
      return false
    },
    matching(glob, paths) {
      const compiled = globOf(glob)
      return paths.filter((path) => {
        const matched = compiled && compare(compiled, path)
        if (matched === null) throw new PatternsTooCostly()
        return matched
      })
    },
  }
}
