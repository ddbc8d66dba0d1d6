/** Selects the files of a job's folder that artifacts and caches contain. Symbolic links are stored as links and never followed. */
import type { Stats } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { isAbsolute, join, normalize, relative, sep } from 'node:path'
import { matchesGlob } from '../../ci/text/glob.ts'

export interface SelectedFile {
  /** Relative to the folder, with slashes. */
  path: string
  stats: Stats
}

export interface Selection {
  files: SelectedFile[]
  /** Messages for the trace, one per pattern. */
  notes: Note[]
}

interface Note {
  isWarning: boolean
  text: string
}

export interface Wanted {
  paths: string[]
  exclude?: string[]
  /** Files that git doesn't know. */
  untracked?: string[] | null
}

const maxFiles = 1_000_000

/** @param root the job's folder, which nothing changes at the same time */
export async function selectFiles(root: string, { paths, exclude = [], untracked = null }: Wanted): Promise<Selection> {
  const isExcluded = excluder(root, exclude)
  const found = new Map<string, Stats>()
  const notes: Note[] = []
  for (const path of paths) {
    const pattern = patternBelow(root, path)
    const count = pattern === null ? null : await addMatching(root, { pattern, isExcluded, found })
    notes.push(noteOf(root, path, count))
  }
  if (untracked !== null)
    notes.push(
      await addUntracked(
        root,
        untracked.filter((path) => !isExcluded(path)),
        found,
      ),
    )
  const files = [...found].map(([path, stats]) => ({ path, stats }))
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), notes }
}

interface Addition {
  pattern: string
  isExcluded: (path: string) => boolean
  found: Map<string, Stats>
}

async function addMatching(root: string, { pattern, isExcluded, found }: Addition): Promise<number> {
  let count = 0
  for await (const file of matching(root, pattern)) {
    if (isExcluded(file.path)) continue
    found.set(file.path, file.stats)
    count++
    if (found.size > maxFiles) throw new Error(`more than ${maxFiles} files`)
  }
  return count
}

/** @param count null for a path that leaves the folder */
function noteOf(root: string, path: string, count: number | null): Note {
  if (count === null) return { isWarning: true, text: `${path}: not below the project's folder` }
  if (count === 0) return { isWarning: true, text: `${path}: no matching files. The path is relative to ${root}` }
  return { isWarning: false, text: `${path}: found ${count} matching files and directories` }
}

async function addUntracked(root: string, paths: string[], found: Map<string, Stats>): Promise<Note> {
  for (const path of paths) {
    const stats = await lstat(join(root, path)).catch(() => null)
    if (stats && (await hasRealFolders(root, path))) found.set(path, stats)
  }
  return { isWarning: false, text: paths.length === 0 ? 'untracked: no files' : `untracked: found ${paths.length} files` }
}

/** A pattern relative to the folder; null for one that leaves it. */
function patternBelow(root: string, path: string): string | null {
  const pattern = normalize(isAbsolute(path) ? relative(root, path) : path).replace(/\/+$/, '')
  return path === '' || pattern === '..' || pattern.startsWith(`..${sep}`) ? null : pattern
}

function excluder(root: string, exclude: string[]): (path: string) => boolean {
  const matchers = exclude.flatMap((path) => {
    const pattern = patternBelow(root, path)
    return pattern === null ? [] : [matchesGlob(pattern.replace(/(^|\/)\*\*$/, '$1**/*'))]
  })
  return (path) => matchers.some((matches) => matches(path))
}

/** The files that a pattern matches, with everything below them. */
async function* matching(root: string, pattern: string): AsyncGenerator<SelectedFile> {
  const segments = pattern === '.' ? [] : pattern.split('/')
  const firstGlob = segments.findIndex((segment) => /[*?[{\\]/.test(segment))
  const base = firstGlob < 0 ? segments.join('/') : segments.slice(0, firstGlob).join('/')
  if (!(await hasRealFolders(root, base))) return
  if (firstGlob < 0) {
    yield* walk(root, base, () => true)
    return
  }
  const matches = matchesGlob(pattern)
  yield* walk(root, base, matches)
}

/** Whether no folder on the path is a symbolic link, so that the file is really there. */
async function hasRealFolders(root: string, path: string): Promise<boolean> {
  const segments = path.split('/').slice(0, -1)
  for (let at = 1; at <= segments.length; at++) {
    const stats = await lstat(join(root, ...segments.slice(0, at))).catch(() => null)
    if (!stats?.isDirectory()) return false
  }
  return true
}

/** Git's own folder is only included if it is named. */
async function* walk(root: string, path: string, matches: (path: string) => boolean): AsyncGenerator<SelectedFile> {
  const stats = await lstat(join(root, path)).catch(() => null)
  if (!stats) return
  const isWanted = path === '' || matches(path)
  if (isWanted && path !== '' && (stats.isFile() || stats.isDirectory() || stats.isSymbolicLink())) yield { path, stats }
  if (!stats.isDirectory()) return
  const below = path !== '' && isWanted ? () => true : matches
  for (const name of await readdir(join(root, path))) {
    if (path === '' && name === '.git') continue
    yield* walk(root, path === '' ? name : `${path}/${name}`, below)
  }
}
