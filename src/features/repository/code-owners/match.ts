/**
 * Finds the owners of paths. Of each section the last entry that matches counts. Entries are kept by what they look for: names, folders and
 * endings in maps, so that only entries with other wildcards are tried one by one. All that is looked up counts: a change may have a million
 * paths, and a file a hundred thousand lines.
 */
import { type CompiledGlob, compileGlob } from '../../../ci/text/glob.ts'
import type { CodeOwners, OwnerEntry, OwnerSection } from './parse.ts'

export interface OwnedBy {
  section: OwnerSection
  entry: OwnerEntry
}

export interface OwnersFinder {
  /** The entry of each section that applies. Throws `TooMuchToCompare` once all paths together have taken too much. */
  ownersOf: (path: string) => OwnedBy[]
}

/** So many paths can't be compared with such a file. Whoever enforces owners must not take it for a path without owners. */
export class TooMuchToCompare extends Error {}

/** A step is a look into a map: 50 to 100 ns. */
const maxSteps = 3_000_000
/** Steps to compile a wildcard, as measured. */
const compilingOf = ({ glob }: Wildcard) => 1_000 + 100 * glob.length
/** Steps to try one, as measured: long paths take more for each character, whatever the wildcard. */
const tryingOn = (path: string) => 5 + path.length * (path.length > 200 ? 1.5 : 0.4)
/** Characters of a name that is looked up, by step. */
const perStep_chars = 64
/** A pattern with more parts is tried as a wildcard. */
const maxParts = 20

interface SectionIndex {
  section: OwnerSection
  entries: Maps
  exclusions: Maps | null
}

/** Files that are kept are asked again: the page of each file asks for its owners. */
const kept = new WeakMap<readonly OwnerSection[], SectionIndex[]>()

export function ownersFinder({ sections }: CodeOwners): OwnersFinder {
  const indexes = kept.get(sections) ?? sections.map(indexSection)
  kept.set(sections, indexes)
  const search: Search = { left: maxSteps, compiled: new Map() }
  return {
    ownersOf(path) {
      const parts = path.split('/')
      return indexes.flatMap(({ section, entries, exclusions }) => {
        if (exclusions && lastMatch(exclusions, path, parts, search) >= 0) return []
        const entry = section.entries[lastMatch(entries, path, parts, search)]
        return entry && entry.owners.length > 0 ? [{ section, entry }] : []
      })
    },
  }
}

function indexSection(section: OwnerSection): SectionIndex {
  const { entries, exclusions } = section
  return { section, entries: indexOf(entries), exclusions: exclusions.length === 0 ? null : indexOf(exclusions) }
}

/** The budget that all paths share, and the wildcards that were compiled for them. */
interface Search {
  left: number
  compiled: Map<Wildcard, CompiledGlob>
}

function spend(search: Search, steps: number): void {
  search.left -= steps
  if (search.left < 0) throw new TooMuchToCompare()
}

/** As git and other forges write it: from the root, with every folder below one that ends in a slash. */
export function globOf(pattern: string): string {
  if (pattern === '*') return '**/*'
  const anchored = pattern.startsWith('/') ? pattern.slice(1) : `**/${pattern}`
  return anchored.endsWith('/') || anchored === '' ? `${anchored}**/*` : anchored
}

interface Wildcard {
  at: number
  /** The literal text after the last special character: comparing it is cheaper than running the expression. */
  ending: string
  glob: string
}

interface Maps {
  files: Map<string, number>
  folders: Map<string, number>
  /** Wherever they stand. */
  names: Map<string, number>
  folderNames: Map<string, number>
  endings: Map<string, number>
  /** By the folder in which their matches are, the last first. */
  wildcards: Map<string, Wildcard[]>
  everything: number
  longestName: number
  longestFolderName: number
}

const special = /[*?[\]{}\\]/

function indexOf(entries: readonly OwnerEntry[]): Maps {
  const maps: Maps = {
    files: new Map(),
    folders: new Map(),
    names: new Map(),
    folderNames: new Map(),
    endings: new Map(),
    wildcards: new Map(),
    everything: -1,
    longestName: 0,
    longestFolderName: 0,
  }
  for (const [at, { pattern }] of entries.entries()) add(maps, pattern, at)
  for (const list of maps.wildcards.values()) list.reverse()
  return maps
}

function add(maps: Maps, pattern: string, at: number): void {
  const isAnchored = pattern.startsWith('/')
  const rest = isAnchored ? pattern.slice(1) : pattern
  if (pattern === '*' || pattern === '/' || pattern === '**') maps.everything = at
  else if (!isAnchored && /^\*\.[^/]+$/.test(rest) && !special.test(rest.slice(1))) maps.endings.set(rest.slice(1), at)
  else if (special.test(rest) || rest.split('/').length > maxParts) addWildcard(maps, pattern, at)
  else if (rest.endsWith('/')) {
    const folder = rest.slice(0, -1)
    if (isAnchored) maps.folders.set(folder, at)
    else {
      maps.folderNames.set(folder, at)
      maps.longestFolderName = Math.max(maps.longestFolderName, folder.split('/').length)
    }
  } else if (isAnchored) maps.files.set(rest, at)
  else {
    maps.names.set(rest, at)
    maps.longestName = Math.max(maps.longestName, rest.split('/').length)
  }
}

function addWildcard(maps: Maps, pattern: string, at: number): void {
  const glob = globOf(pattern)
  const found = glob.search(special)
  const folder = glob.slice(0, glob.lastIndexOf('/', found < 0 ? glob.length : found) + 1)
  const list = maps.wildcards.get(folder) ?? []
  maps.wildcards.set(folder, list)
  // A slash may be of `**/`, which also stands for no folder at all.
  const ending = /[{\\]/.test(glob) ? '' : afterWildcards(glob).replace(/^\//, '')
  list.push({ at, ending, glob })
}

function afterWildcards(glob: string): string {
  return glob.slice(Math.max(...['*', '?', '[', ']'].map((sign) => glob.lastIndexOf(sign))) + 1)
}

/** The number of the last entry that matches, or -1. */
function lastMatch(maps: Maps, path: string, parts: string[], search: Search): number {
  spend(search, 2 + parts.length + path.length / perStep_chars)
  let best = Math.max(maps.everything, maps.files.get(path) ?? -1)
  const take = (found: number | undefined) => {
    if (found !== undefined && found > best) best = found
  }
  const look = (names: Map<string, number>, name: string) => {
    spend(search, 1 + name.length / perStep_chars)
    take(names.get(name))
  }
  const name = parts.at(-1) ?? ''
  for (let dot = name.indexOf('.'); dot >= 0 && maps.endings.size > 0; dot = name.indexOf('.', dot + 1)) look(maps.endings, name.slice(dot))
  for (let from = Math.max(0, parts.length - maps.longestName); from < parts.length; from += 1)
    look(maps.names, parts.slice(from).join('/'))
  let folder = ''
  const folders = ['']
  for (let end = 1; end < parts.length; end += 1) {
    folder = end === 1 ? (parts[0] ?? '') : `${folder}/${parts[end - 1]}`
    if (maps.folders.size > 0) look(maps.folders, folder)
    for (let from = Math.max(0, end - maps.longestFolderName); from < end; from += 1)
      look(maps.folderNames, from === end - 1 ? (parts[from] ?? '') : parts.slice(from, end).join('/'))
    folders.push(`${folder}/`)
  }
  if (maps.wildcards.size === 0) return best
  for (const one of folders) {
    spend(search, 1 + one.length / perStep_chars)
    take(lastWildcard(maps.wildcards.get(one), path, best, search))
  }
  return best
}

function lastWildcard(list: Wildcard[] | undefined, path: string, best: number, search: Search): number | undefined {
  for (const wildcard of list ?? []) {
    if (wildcard.at <= best) return undefined
    spend(search, 1)
    if (!path.endsWith(wildcard.ending)) continue
    const { matches } = compiledOf(wildcard, search)
    spend(search, tryingOn(path))
    if (matches(path)) return wildcard.at
  }
  return undefined
}

function compiledOf(wildcard: Wildcard, search: Search): CompiledGlob {
  const known = search.compiled.get(wildcard)
  if (known) return known
  spend(search, compilingOf(wildcard))
  const compiled = compileGlob(wildcard.glob)
  search.compiled.set(wildcard, compiled)
  return compiled
}
