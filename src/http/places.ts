/** Families of endpoints that projects and groups have in common, such as members and badges: declared once, served under both. */
import type { LocatedGroup, LocatedProject } from '../access/find.ts'
import { accessLevels, type Role } from '../access/levels.ts'
import type { Endpoint } from './endpoint.ts'
import { type Access, type Condition, type Granted, group, type Needed, project, type SignedIn } from './rules.ts'

/** A project or a group, and the caller's level in it. */
export type Place = { kind: 'project'; row: LocatedProject; level: number } | { kind: 'group'; row: LocatedGroup; level: number }

export type PlaceKind = Place['kind']

export interface PlaceGranted extends Granted {
  place: Place
}

/** Who manages a place: maintainers of a project, owners of a group. */
export const managers = { project: 'maintainer', group: 'owner' } as const satisfies Record<PlaceKind, Role>

export function manages({ kind, level }: Place): boolean {
  return level >= accessLevels[managers[kind]]
}

/** Those who manage the place, as a condition beside others: `only(rule, managing, self('user_id'))`. */
export const managing: Condition<PlaceGranted> = {
  description: 'maintainers of the project or owners of the group',
  holds: ({ place }) => manages(place),
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
