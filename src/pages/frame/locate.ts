/** Finds the page that a URL means. */
import { findGroup, findProject, findProjectOnceAt } from '../../access/find.ts'
import { spacesAt } from '../../access/spaces.ts'
import type { Viewer } from '../../access/visible.ts'
import type { Db } from '../../db/database.ts'
import { nullIfMissing } from '../../failure.ts'
import type { Page } from './declaration.ts'
import { type Fit, fitsOf, segmentsIn } from './patterns.ts'

export interface Located {
  page: Page
  /** As access rules expect them: the project, group or user as `id`. */
  params: Record<string, string>
}

interface Candidate extends Fit {
  page: Page
}

/**
 * The page of a URL, or the path (with its slash) to which it has moved; null for none. One statement if the URL names a project, group or
 * user: the first matching page whose space exists. No access rule has been checked yet, so nothing may reveal whether a hidden space
 * exists: redirects and the sign-in page are only for spaces that the viewer can see.
 */
export async function locate(db: Db, pages: readonly Page[], path: string, viewer: Viewer): Promise<Located | string | null> {
  const segments = segmentsIn(path)
  if (!segments) return null
  const found = await locateExactly(db, pages, segments)
  if (found) return viewer || found.page.access.anonymous || (await isVisible(db, found, viewer)) ? found : null
  // Later versions of the reference, and links written for them, have `/-/` between a project and its page.
  const dash = segments.indexOf('-', 1)
  if (dash > 0) {
    const plain = segments.toSpliced(dash, 1)
    const meant = await locateExactly(db, pages, plain)
    if (meant && (await isVisible(db, meant, viewer))) return addressOf('', plain)
  }
  return movedTo(db, pages, segments, viewer)
}

async function locateExactly(db: Db, pages: readonly Page[], segments: readonly string[]): Promise<Located | null> {
  const candidates = candidatesFor(pages, segments)
  const own = candidates.find(({ path }) => path === null)
  if (own) return { page: own.page, params: own.params }
  const spaces = await spacesAt(db, [...new Set(candidates.flatMap(({ path }) => path ?? []))])
  for (const { page, path, params } of candidates) {
    const space = spaces.get((path ?? '').toLowerCase())
    if (space?.kind === page.pattern.space) return { page, params: { ...params, id: String(space.id) } }
  }
  return null
}

/** Whether the viewer can see the space of a page; everybody can see users. */
async function isVisible(db: Db, { page, params: { id = '' } }: Located, viewer: Viewer): Promise<boolean> {
  const { space } = page.pattern
  if (space === 'project') return (await findProject(db, id, viewer).catch(nullIfMissing)) !== null
  if (space === 'group') return (await findGroup(db, id, viewer).catch(nullIfMissing)) !== null
  return true
}

function candidatesFor(pages: readonly Page[], segments: readonly string[]): Candidate[] {
  const fitting = pages.flatMap((page) => fitsOf(page.pattern, segments).map((fit) => ({ page, ...fit })))
  // Files first: `/ada.keys` is the keys of ada, even if somebody is named `ada.keys`.
  const isFile = ({ page }: Candidate) => page.pattern.suffix !== ''
  return [...fitting.filter(isFile), ...fitting.filter((one) => !isFile(one))]
}

/** Projects are also found at their former paths, by users who can see them. */
async function movedTo(db: Db, pages: readonly Page[], segments: readonly string[], viewer: Viewer): Promise<string | null> {
  const asked = new Set<string>()
  for (const { page, path } of candidatesFor(pages, segments)) {
    if (page.method !== 'GET' || page.pattern.space !== 'project' || path === null || asked.has(path)) continue
    asked.add(path)
    const moved = await findProjectOnceAt(db, path, viewer).catch(nullIfMissing)
    if (moved) return addressOf(moved.project.full_path + page.pattern.suffix, segments.slice(path.split('/').length))
  }
  return null
}

/** The path of a space and the segments after it, encoded. */
function addressOf(space: string, segments: readonly string[]): string {
  return `/${[...space.split('/').filter(Boolean), ...segments].map(encodeURIComponent).join('/')}`
}
