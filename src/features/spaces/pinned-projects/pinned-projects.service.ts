/** Pinned projects, which a user shows first on their profile. Each viewer only sees those that they may see. */
import type { App } from '../../../app.ts'
import { inTransaction, oneAtATime } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import { invalid } from '../../../failure.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import type { ProjectAny } from '../projects/projects.schema.ts'
import { pageOfOwner } from '../projects/projects.ts'
import { pinsOf, replacePins } from './pinned-projects.queries.ts'

export const maxPins = 6
/** Maximum of own projects, and of those contributed to, that the form offers. */
const maxOffered = 50

const latest = { order_by: 'last_activity_at', sort: 'desc' } as const

export type ListedProject = Presented<typeof ProjectAny>

/** Visible pins in the order that their user chose; none if the profile is private. */
export async function pinnedProjects(app: App, owner: User, viewer: User | null): Promise<ListedProject[]> {
  const ids = await pinsOf(app.db, owner.id)
  if (ids.length === 0) return []
  const { rows } = await pageOfOwner(app, owner, viewer, latest, { limit: maxPins, offset: 0 }, 'pinned')
  return [...rows].sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))
}

/** The projects that a user may pin. Pinned ones come first, so that the limit never hides one that would have to be unpinned. */
export async function pinnableProjects(app: App, user: User): Promise<ListedProject[]> {
  const pinned = await pinnedProjects(app, user, user)
  const page = { limit: maxOffered, offset: 0 }
  const found = await Promise.all((['own', 'contributed'] as const).map((tie) => pageOfOwner(app, user, user, latest, page, tie)))
  const all = [...pinned, ...found.flatMap(({ rows }) => rows)]
  return [...new Map(all.map((project) => [project.id, project])).values()]
}

/** Replaces all pins. Throws 400 for too many, and for a project that was not offered. */
export async function pinProjects(app: App, user: User, projectIds: readonly number[]): Promise<void> {
  const ids = [...new Set(projectIds)]
  if (ids.length > maxPins) throw invalid({ base: [`A profile shows ${maxPins} projects at most`] })
  const offered = new Set((await pinnableProjects(app, user)).map(({ id }) => id))
  if (ids.some((id) => !offered.has(id))) throw invalid({ base: ['Choose among the projects that are listed'] })
  await inTransaction(app.db, async (tx) => {
    await oneAtATime(tx, `pinned projects ${user.id}`)
    await replacePins(tx, user.id, ids)
  })
}
