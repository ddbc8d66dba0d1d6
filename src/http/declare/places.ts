/** Families of endpoints that projects and groups have in common, such as members and badges: declared once, served for both. */
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

/** The permission to manage a place: maintainers of a project, owners of a group. */
export const managers = { project: 'edit_project', group: 'edit_group' } as const satisfies Record<PlaceKind, Permission>

export function manages({ kind, level }: Place): boolean {
  return may(managers[kind], level)
}

/** A condition that the caller manages the place: `only(rule, managing, self('user_id'))`. */
export const managing: Condition<PlaceGranted> = {
  description: 'maintainers of the project or owners of the group',
  holds: ({ place }) => manages(place),
}

/** The rule, denied if the project or group is archived, since it is read-only for everyone then. */
export function unarchivedPlace<G extends PlaceGranted>(rule: Access<G>): Access<G> {
  return only(rule, { description: 'while it is not archived', holds: ({ place }) => !place.row.archived })
}

/** The rule, for callers to whom one of the features of the project is available. Groups have all features. */
export function usingPlace<G extends PlaceGranted>(features: readonly ProjectFeature[], rule: Access<G>): Access<G> {
  const description = `those for whom its ${features.join(' or ').replaceAll('_', ' ')} feature is enabled`
  return only(rule, {
    description,
    holds: ({ place }) => place.kind === 'group' || features.some((feature) => mayUse(feature, { project: place.row, level: place.level })),
  })
}

/** Declares the family for projects and for groups. */
export function onProjectsAndGroups(declare: (kind: PlaceKind) => Endpoint[]): Endpoint[] {
  return [...declare('project'), ...declare('group')]
}

/** Grants the project or group in `:id`, as `place`. The needed permission may differ between the two: `managers`. */
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

/** The columns that refer to a place in tables that projects and groups share. */
export function columnsOf({ kind, row }: Place): { project_id: number } | { namespace_id: number } {
  return kind === 'project' ? { project_id: row.id } : { namespace_id: row.id }
}
