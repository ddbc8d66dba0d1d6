/** Matches paths against globs, like Ruby's `File.fnmatch` with pathnames, dot files and braces; in linear time for any glob. */
import { RE2JS } from 're2js'
import { compileRegex } from './regex.ts'

const maxGlob_chars = 1_000
const maxAlternatives = 50
const special = /[*?[{\\]/

/** A glob: the literal prefix of its matches, and the size of the expression for the rest; 0 if it only matches itself. */
export interface CompiledGlob {
  prefix: string
  instructions: number
  matches: (path: string) => boolean
}

/** Compiled once, for many paths. */
export function matchesGlob(glob: string): (path: string) => boolean {
  const { prefix, matches } = compileGlob(glob)
  return (path) => path.startsWith(prefix) && matches(path)
}

/** A glob that is invalid or too large only matches itself literally. */
export function compileGlob(glob: string): CompiledGlob {
  const at = glob.search(special)
  const compiled = at < 0 || glob.length > maxGlob_chars ? null : compile(glob)
  if (!compiled) return { prefix: glob, instructions: 0, matches: (path) => path === glob }
  return { prefix: glob.slice(0, at), instructions: compiled.programSize(), matches: (path) => compiled.matches(path) }
}

function compile(glob: string): RE2JS | null {
  try {
    return compileRegex(patternOf(glob), RE2JS.DOTALL)
  } catch {
    return null
  }
}

/** Converts the glob to a regular expression. */
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

/** The expression for the element at a position, and its length in characters. */
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

/** `[a-z]`, `[^a]`, `[!a]`; without a closing bracket, a literal bracket. */
function setAt(glob: string, at: number): [pattern: string, length: number] {
  const end = glob.indexOf(']', at + 2)
  if (end < 0) return ['\\[', 1]
  const inside = glob.slice(at + 1, end)
  const negated = /^[!^]/.test(inside)
  const chars = (negated ? inside.slice(1) : inside).replace(/[\\[\]^&~]/g, '\\$&')
  return [`[${negated ? '^/' : ''}${chars}]`, end - at + 1]
}

const quote = (char: string) => char.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
