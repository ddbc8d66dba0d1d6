/** Paths that match a glob, as Ruby's `File.fnmatch` with path names, dot files and braces; in linear time for any glob. */
import { RE2JS } from 're2js'

/** Matching beyond this counts as a match: a job too many is better than one left out. The reference has the same bound for `exists`. */
const maxComparisons = 50_000
const maxGlob_chars = 1_000
const maxAlternatives = 50

/** Whether one of the paths matches one of the globs. A glob that can't be read matches what it says letter for letter. */
export function matchesAny(globs: string[], paths: string[]): boolean {
  let left = maxComparisons
  const all = new Set(paths)
  for (const glob of globs) {
    if (all.has(glob)) return true
    const matcher = matcherOf(glob)
    if (!matcher) continue
    for (const path of paths) {
      if (left-- === 0) return true
      if (matcher(path)) return true
    }
  }
  return false
}

/** For one glob and many paths. */
export function matchesGlob(glob: string): (path: string) => boolean {
  return matcherOf(glob) ?? ((path) => path === glob)
}

const special = /[*?[{\\]/

/** Null for a glob without anything special: it matches itself alone. */
function matcherOf(glob: string): ((path: string) => boolean) | null {
  const at = glob.search(special)
  if (at < 0 || glob.length > maxGlob_chars) return null
  const prefix = glob.slice(0, at)
  const compiled = compile(glob)
  return compiled && ((path) => path.startsWith(prefix) && compiled.matches(path))
}

function compile(glob: string): RE2JS | null {
  try {
    return RE2JS.compile(patternOf(glob), RE2JS.DOTALL)
  } catch {
    return null
  }
}

/** The same as a regular expression. */
export function patternOf(glob: string): string {
  let pattern = ''
  let braces = 0
  let alternatives = 0
  for (let at = 0; at < glob.length; ) {
    const [piece, length] = pieceAt(glob, at, braces > 0)
    if (piece === '(?:') braces++
    if (piece === ')') braces--
    if (piece === '|') alternatives++
    if (alternatives > maxAlternatives) throw new RangeError('too many alternatives')
    pattern += piece
    at += length
  }
  return pattern + ')'.repeat(braces)
}

/** What stands there as a regular expression, and how many characters it takes. */
function pieceAt(glob: string, at: number, inBraces: boolean): [pattern: string, length: number] {
  const char = glob[at] ?? ''
  if (glob.startsWith('**/', at) && (at === 0 || glob[at - 1] === '/')) return ['(?:[^/]+/)*', 3]
  if (char === '*') return ['[^/]*', glob.startsWith('**', at) ? 2 : 1]
  if (char === '?') return ['[^/]', 1]
  if (char === '\\') return [quote(glob[at + 1] ?? '\\'), 2]
  if (char === '{') return ['(?:', 1]
  if (char === '}' && inBraces) return [')', 1]
  if (char === ',' && inBraces) return ['|', 1]
  return char === '[' ? setAt(glob, at) : [quote(char), 1]
}

/** `[a-z]`, `[^a]`, `[!a]`; without an end, a bracket. */
function setAt(glob: string, at: number): [pattern: string, length: number] {
  const end = glob.indexOf(']', at + 2)
  if (end < 0) return ['\\[', 1]
  const inside = glob.slice(at + 1, end)
  const negated = /^[!^]/.test(inside)
  const chars = (negated ? inside.slice(1) : inside).replace(/[\\[\]^&~]/g, '\\$&')
  return [`[${negated ? '^/' : ''}${chars}]`, end - at + 1]
}

const quote = (char: string) => char.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
