/** From the address of a request to the page it means. */
import { findProjectOnceAt } from '../../access/find.ts'
import { type Space, spacesAt } from '../../access/spaces.ts'
import type { Viewer } from '../../access/visible.ts'
import type { Db } from '../../db/database.ts'
import { Failure } from '../../failure.ts'
import type { Page } from './declaration.ts'
import { type Fit, fitsOf, segmentsIn } from './patterns.ts'

export interface Located {
  page: Page
  /** As access rules read them: the space as `id`. */
  params: Record<string, string>
}

interface Candidate extends Fit {
  page: Page
}

/**
 * The page of an address, or where it has moved to (a path with its slash); null for none. One statement where the address names a
 * space: the first of the pages that fit and whose space exists.
 */
export async function locate(db: Db, pages: readonly Page[], path: string, viewer: Viewer): Promise<Located | string | null> {
  const segments = segmentsIn(path)
  if (!segments) return null
  const candidates = pages.flatMap((page): Candidate[] => fitsOf(page.pattern, segments).map((fit) => ({ page, ...fit })))
  const own = candidates.find((candidate) => candidate.path === null)
  if (own) return { page: own.page, params: own.params }
  const paths = [...new Set(candidates.flatMap((candidate) => candidate.path ?? []))]
  const spaces = await spacesAt(db, paths)
  for (const { page, path: of, params } of candidates) {
    const space = spaces.get((of ?? '').toLowerCase())
    if (space?.kind === page.pattern.space) return { page, params: { ...params, id: String(space.id) } }
  }
  return movedTo(db, candidates, segments, viewer)
}

/** Projects are found at the paths they had before, by those who may see them. */
async function movedTo(db: Db, candidates: Candidate[], segments: readonly string[], viewer: Viewer): Promise<string | null> {
  for (const { page, path } of candidates) {
    if (page.method !== 'GET' || page.pattern.space !== 'project' || path === null) continue
    const moved = await projectOnceAt(db, path, viewer)
    if (moved !== null) return addressOf(moved, segments.slice(path.split('/').length))
  }
  return null
}

async function projectOnceAt(db: Db, path: string, viewer: Viewer): Promise<string | null> {
  try {
    return (await findProjectOnceAt(db, path, viewer)).project.full_path
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return null
    throw error
  }
}

/** A path of segments, encoded. */
export function addressOf(space: Space['path'], segments: readonly string[]): string {
  return `/${[...space.split('/'), ...segments].map(encodeURIComponent).join('/')}`
}
