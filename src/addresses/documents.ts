/** Addresses of wikis and snippets. */
import { type AtPlace, placeAddress } from './places.ts'
import { encodedPath } from './repository.ts'

/**
 * A page of a wiki, or a file beside its pages.
 * @param version commit id, for an earlier version of the page
 */
export function wikiPageAddress(place: AtPlace, slug: string, version?: string): string {
  return `${placeAddress(place, 'wikis')}/${encodedPath(slug)}${version === undefined ? '' : `?version=${version}`}`
}

/** The address of a form or action on a wiki page. A hyphen precedes it, so that it never collides with the name of a page. */
export function wikiWorkAddress(
  place: AtPlace,
  work: 'edit' | 'history' | 'compare' | 'update' | 'tasks' | 'delete',
  slug: string,
): string {
  return `${placeAddress(place, 'wikis')}/-/${work}/${encodedPath(slug)}`
}

export function wikiPagesAddress(place: AtPlace): string {
  return `${placeAddress(place, 'wikis')}/-/pages`
}

/** A snippet of a project, or of a user if the path is null: `/group/project/snippets/1`, `/snippets/1`. */
export function snippetAddress({ id }: { id: number }, projectPath: string | null): string {
  return `${projectPath === null ? '' : `/${projectPath}`}/snippets/${id}`
}

/** The content of a file of a snippet, below the path or URL of its page. */
export function snippetFileAddress(snippet: string, path: string): string {
  return `${snippet}/raw/main/${encodedPath(path)}`
}
