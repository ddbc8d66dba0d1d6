/** Families of endpoints that projects and groups have in common, such as members and badges: declared once, served under both. */
import { mayUse, type ProjectFeature } from '../../access/features.ts'
import type { LocatedGroup, LocatedProject } from '../../access/find.ts'
import { may, type Permission } from '../../access/permissions.ts'
import type { Endpoint } from './endpoint.ts'
import { type Access, type Condition, type Granted, group, type Needed, only, project, type SignedIn } from './rules.ts'

/** A project or a group, and the caller's level in it. */
export type Place = { kind: 'project'; row: LocatedProject; level: number } | { kind: 'group'; row: LocatedGroup; level: number }

export type PlaceKind = Place['kind']

export interface PlaceGranted extends Granted {
  place: Place
}

/** The permission of those who manage a place: maintainers of a project, owners of a group. */
export const managers = { project: 'edit_project', group: 'edit_group' } as const satisfies Record<PlaceKind, Permission>

export function manages({ kind, level }: Place): boolean {
  return may(managers[kind], level)
}

/** A condition that the caller manages the place: `only(rule, managing, self('user_id'))`. */
export const managing: Condition<PlaceGranted> = {
  description: 'maintainers of the project or owners of the group',
  holds: ({ place }) => manages(place),
}

/** The rule, while the project is not archived: an archived one is read-only for everybody. Groups aren't archived. */
export function unarchivedPlace<G extends PlaceGranted>(rule: Access<G>): Access<G> {
  return only(rule, {
    description: 'while the project is not archived',
    holds: ({ place }) => place.kind === 'group' || !place.row.archived,
  })
}

/** The rule, for those for whom one of the features of the project is there. Groups have all. */
export function usingPlace<G extends PlaceGranted>(features: readonly ProjectFeature[], rule: Access<G>): Access<G> {
  const description = `those for whom its ${features.join(' or ').replaceAll('_', ' ')} feature is enabled`
  return only(rule, {
    description,
    holds: ({ place }) => place.kind === 'group' || features.some((feature) => mayUse(feature, { project: place.row, level: place.level })),
  })
}

/** The family as declared for projects, then as declared for groups. */
export function onProjectsAndGroups(declare: (kind: PlaceKind) => Endpoint[]): Endpoint[] {
  return [...declare('project'), ...declare('group')]
}

/** The project or group in `:id`, as `place`. What is needed may differ: `managers`. */
export function onProjectOrGroup(kind: PlaceKind, needed: 'visible'): Access<PlaceGranted>
export function onProjectOrGroup(kind: PlaceKind, needed: Needed | Record<PlaceKind, Needed>): Access<PlaceGranted & SignedIn>
export function onProjectOrGroup(kind: PlaceKind, needed: Needed | Record<PlaceKind, Needed>): Access<PlaceGranted> {
  const level = typeof needed === 'string' ? needed : needed[kind]
  return kind === 'project' ? onProject(level) : onGroup(level)
}

function onProject(needed: Needed): Access<PlaceGranted> {
  const rule = project(needed)
  return {
    ...rule,
    async grant(request) {
      const { user, project, level } = await rule.grant(request)
      return { user, place: { kind: 'project', row: project, level } }
    },
  }
}

function onGroup(needed: Needed): Access<PlaceGranted> {
  const rule = group(needed)
  return {
    ...rule,
    async grant(request) {
      const { user, group, level } = await rule.grant(request)
      return { user, place: { kind: 'group', row: group, level } }
    },
  }
}

/** The columns of a place in the tables of what projects and groups both have. */
export function columnsOf({ kind, row }: Place): { project_id: number } | { namespace_id: number } {
  return kind === 'project' ? { project_id: row.id } : { namespace_id: row.id }
}
