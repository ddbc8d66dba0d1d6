/** Paths of projects, groups and users, and of the pages that projects and groups have in common. */

export interface AtPath {
  full_path: string
}

/** A project or a group, as access rules grant it. */
export type AtPlace = { kind: 'project' | 'group'; row: AtPath }

export function projectAddress({ full_path }: AtPath): string {
  return `/${full_path}`
}

/** The page of a group, or one below it: `groupAddress(path, 'edit')`. */
export function groupAddress(path: string, page?: string): string {
  return page === undefined ? `/groups/${path}` : `/groups/${path}/-/${page}`
}

export function userAddress(username: string): string {
  return `/${username}`
}

/** A page of a project or a group: `placeAddress(place, 'labels')`. */
export function placeAddress({ kind, row }: AtPlace, page: string): string {
  return kind === 'project' ? `${projectAddress(row)}/${page}` : groupAddress(row.full_path, page)
}

export function membersAddress(place: AtPlace): string {
  return placeAddress(place, place.kind === 'project' ? 'project_members' : 'group_members')
}
