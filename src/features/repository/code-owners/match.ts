/**
 * Finds the owners of paths. Of each section the last entry that matches counts. Entries are kept by what they look for: names, folders and
 * endings in maps, so that only entries with other wildcards are tried one by one.
 */
import { compileGlob } from '../../../ci/text/glob.ts'
import type { CodeOwners, OwnerEntry, OwnerSection } from './parse.ts'

export interface OwnedBy {
  section: OwnerSection
  entry: OwnerEntry
}

export interface OwnersFinder {
  /** The entry of each section that applies. Throws `TooManyWildcards` once all paths together have taken too much. */
  ownersOf: (path: string) => OwnedBy[]
}

/** The wildcards of the file can't be tried on so many paths. Whoever enforces owners must not take it for a path without owners. */
export class TooManyWildcards extends Error {}

/** Trials of wildcards that no map answers, each of a few microseconds. */
const maxTrials = 400_000
/** How many trials take as long as compiling a wildcard. */
const compiling = 200
/** A pattern with more parts is tried as a wildcard. */
const maxParts = 20

export function ownersFinder({ sections }: CodeOwners): OwnersFinder {
  const budget = { left: maxTrials }
  const indexes = sections.map((section) => ({
    section,
    entries: indexOf(section.entries, budget),
    exclusions: section.exclusions.length === 0 ? null : indexOf(section.exclusions, budget),
  }))
  return {
    ownersOf(path) {
      const parts = path.split('/')
      return indexes.flatMap(({ section, entries, exclusions }) => {
        if (exclusions && exclusions(path, parts) >= 0) return []
        const entry = section.entries[entries(path, parts)]
        return entry && entry.owners.length > 0 ? [{ section, entry }] : []
      })
    },
  }
}

/** As git and other forges write it: from the root, with every folder below one that ends in a slash. */
export function globOf(pattern: string): string {
  if (pattern === '*') return '**/*'
  const anchored = pattern.startsWith('/') ? pattern.slice(1) : `**/${pattern}`
  return anchored.endsWith('/') || anchored === '' ? `${anchored}**/*` : anchored
}

interface Wildcard {
  at: number
  /** What follows the last special character: a cheap test before the expression. */
  ending: string
  glob: string
  /** Compiled when it is first tried. */
  matches: ((path: string) => boolean) | null
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

/** A function to the number of the last entry that matches, or -1. */
function indexOf(entries: readonly OwnerEntry[], budget: { left: number }): (path: string, parts: string[]) => number {
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
  return (path, parts) => lastMatch(maps, path, parts, budget)
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
  const ending = /[{\\]/.test(glob) ? '' : (/[^*?[\]]*$/.exec(glob)?.[0] ?? '').replace(/^\//, '')
  list.push({ at, ending, glob, matches: null })
}

function lastMatch(maps: Maps, path: string, parts: string[], budget: { left: number }): number {
  let best = Math.max(maps.everything, maps.files.get(path) ?? -1)
  const take = (found: number | undefined) => {
    if (found !== undefined && found > best) best = found
  }
  const name = parts.at(-1) ?? ''
  for (let dot = name.indexOf('.'); dot >= 0 && maps.endings.size > 0; dot = name.indexOf('.', dot + 1))
    take(maps.endings.get(name.slice(dot)))
  for (let from = Math.max(0, parts.length - maps.longestName); from < parts.length; from += 1)
    take(maps.names.get(parts.slice(from).join('/')))
  let folder = ''
  const folders = ['']
  for (let end = 1; end < parts.length; end += 1) {
    folder = end === 1 ? (parts[0] ?? '') : `${folder}/${parts[end - 1]}`
    if (maps.folders.size > 0) take(maps.folders.get(folder))
    for (let from = Math.max(0, end - maps.longestFolderName); from < end; from += 1)
      take(maps.folderNames.get(from === end - 1 ? (parts[from] ?? '') : parts.slice(from, end).join('/')))
    folders.push(`${folder}/`)
  }
  if (maps.wildcards.size > 0) for (const one of folders) take(lastWildcard(maps.wildcards.get(one), path, best, budget))
  return best
}

function lastWildcard(list: Wildcard[] | undefined, path: string, best: number, budget: { left: number }): number | undefined {
  for (const wildcard of list ?? []) {
    if (wildcard.at <= best) return undefined
    if (!path.endsWith(wildcard.ending)) continue
    budget.left -= wildcard.matches ? 1 : compiling
    if (budget.left < 0) throw new TooManyWildcards()
    wildcard.matches ??= compileGlob(wildcard.glob).matches
    if (wildcard.matches(path)) return wildcard.at
  }
  return undefined
}
