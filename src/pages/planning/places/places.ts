/** Planning pages that projects and groups have in common: declared once, with the frame of either. */
import { may, type Permission } from '../../../access/permissions.ts'
import type { User } from '../../../db/tables.ts'
import type { Place } from '../../../http/declare/places.ts'
import type { View } from '../../frame/declaration.ts'
import { type GroupTab, groupView } from '../../group/group-view.ts'
import { type ProjectTab, projectView } from '../../project/project-view.ts'

/** Puts a view into the frame of its project or group: breadcrumbs and tabs. */
export type Framed = (seen: { place: Place; user: User | null }, view: Omit<View, 'above'>) => View

/** The tab has the same name in both. */
export function framedIn(tab: ProjectTab & GroupTab): Framed {
  return ({ place, user }, view) =>
    place.kind === 'project'
      ? projectView({ project: place.row, level: place.level, user, tab, showsCode: false }, view)
      : groupView({ group: place.row, level: place.level, user, tab }, view)
}

/** Whether the viewer's level suffices, and the project is not archived; must match the access rules of the actions. */
export function mayPlanIn(place: Place, to: Permission): boolean {
  return may(to, place.level) && !place.row.archived
}
